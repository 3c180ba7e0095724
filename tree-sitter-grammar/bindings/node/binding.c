// The grammar as a Node addon, in plain C so that a C compiler and the N-API headers are all it takes.
#include <node_api.h>

#ifndef KILN_FINGERPRINT
#define KILN_FINGERPRINT ""
#endif

typedef struct TSLanguage TSLanguage;
const TSLanguage *tree_sitter_kiln(void);

// The tag by which the npm package `tree-sitter` knows a language from any other external pointer.
static const napi_type_tag LANGUAGE_TAG = {0x8AF2E5212AD58ABFULL, 0xD5006CAD83ABBA16ULL};

static napi_value text(napi_env env, const char *value) {
  napi_value result = NULL;
  napi_create_string_utf8(env, value, NAPI_AUTO_LENGTH, &result);
  return result;
}

static napi_value language(napi_env env) {
  napi_value result = NULL;
  napi_create_external(env, (void *)tree_sitter_kiln(), NULL, NULL, &result);
  napi_type_tag_object(env, result, &LANGUAGE_TAG);
  return result;
}

NAPI_MODULE_INIT() {
  napi_set_named_property(env, exports, "name", text(env, "kiln"));
  napi_set_named_property(env, exports, "language", language(env));
  napi_set_named_property(env, exports, "fingerprint", text(env, KILN_FINGERPRINT));
  return exports;
}
