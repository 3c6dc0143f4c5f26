# The image of Headgate: docs/operating.md says how it is run.

# A release names the digest that it resolved: --build-arg NODE_IMAGE=node:24-slim@sha256:… (.github/workflows/release.yml).
ARG NODE_IMAGE=node:24-slim

# What is built and installed is JavaScript alone, the same for every architecture: no stage with a RUN is emulated.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY tools/chaos/package.json tools/chaos/
COPY console/package.json console/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts/build.ts scripts/bundle.ts scripts/build-console.ts scripts/
COPY src src
COPY tools tools
COPY console console
RUN npm run build

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
# Without the packages that bring a Node: the image has one. The driver of PostgreSQL, optional as well, stays. The fault
# tools come with the build.
RUN npm ci --omit=dev --workspaces=false --ignore-scripts --no-audit --no-fund \
    && rm -rf node_modules/node-bin-* node_modules/node-darwin-* node_modules/node-linux-* node_modules/node-win-* \
       node_modules/.bin && mkdir empty

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Headgate" \
      org.opencontainers.image.description="A model gateway: one address and one key in front of every model provider." \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
COPY package.json LICENSE NOTICE README.md ./
COPY bin bin
COPY --from=packages /packages/node_modules node_modules
COPY --from=build /build/dist dist
# The folder for what is kept, owned by the user below; a volume that is mounted here for the first time takes that over.
COPY --from=packages --chown=10001:10001 /packages/empty /data
ENV NODE_ENV=production HEADGATE_LISTEN=0.0.0.0:8080 HEADGATE_DATA=/data
# headgate.yaml is looked for here; it may be absent.
WORKDIR /etc/headgate
USER 10001:10001
VOLUME /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["node", "/app/bin/headgate.js", "health"]
ENTRYPOINT ["node", "/app/bin/headgate.js"]
CMD ["serve"]
