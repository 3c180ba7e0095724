# The runtime base: a Node image with Kiln's runtime in it. `kiln build` puts an application on top of it.
#
#   npm run build && docker build -t kiln-runtime .
#
# Any Node image will do, also one without a shell: nothing is run while this is built. The command line as an image is
# made in ci/tool.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS runtime
# An archive whose files have fixed times, so that the same files give the same layer. Its folders are /kiln and /app.
ADD dist/runtime.tar /
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
USER 65532:65532
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["node", "/kiln/main.mjs", "health"]
ENTRYPOINT ["node", "/kiln/main.mjs"]
CMD ["serve"]
