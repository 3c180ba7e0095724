; The code of a hook is JavaScript. The three quotation marks at each end are not part of it.

((inline code: (raw_string) @injection.content)
  (#offset! @injection.content 0 3 0 -3)
  (#set! injection.language "javascript"))
