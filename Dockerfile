# The image of Headgate: docs/operating.md says how it is run.

FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY tools/chaos/package.json tools/chaos/
COPY console/package.json console/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/build-console.ts scripts/
COPY src src
COPY tools tools
COPY console console
RUN npm run build

FROM node:24-slim AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
# Without the optional packages, which bring a Node of their own: the image has one. The fault tools come with the build.
RUN npm ci --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund && mkdir empty

FROM node:24-slim
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
