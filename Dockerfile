# Only the build needs dependencies: the connector is bundled.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json spec.json install.mjs build.mjs LICENSE ./
COPY schemas ./schemas
COPY src ./src
RUN npm run build

FROM node:24-slim
ARG VERSION=0.3.0
LABEL io.airbyte.name="source-trailer-data" io.airbyte.version="${VERSION}"
ENV NODE_ENV=production
COPY package.json /airbyte/
COPY --from=build /build/dist /airbyte/dist
# for scheduled runs: sh /airbyte/run.sh /airbyte/dist/main.js
COPY deploy/run.sh /airbyte/
# caches tokens across containers if a volume is mounted here
RUN mkdir -m 0700 /cache && chown 1000:1000 /cache
ENV SOURCE_TRAILER_DATA_CACHE=/cache
# uid 1000, as on platforms; files belong to root, so that the connector cannot modify them
USER 1000:1000
# absolute, because platforms use another working directory; equal to ENTRYPOINT
ENV AIRBYTE_ENTRYPOINT="/airbyte/dist/main.js"
ENTRYPOINT ["/airbyte/dist/main.js"]
