# The build needs the development dependencies, the connector none: it is bundled.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json spec.json build.mjs LICENSE ./
COPY schemas ./schemas
COPY src ./src
RUN npm run build

FROM node:24-slim
ARG VERSION=0.1.0
LABEL io.airbyte.name="source-trailer-data" io.airbyte.version="${VERSION}"
ENV NODE_ENV=production
COPY package.json /airbyte/
COPY --from=build /build/dist /airbyte/dist
# where tokens are kept from one container to the next, if a volume is mounted there
RUN mkdir -m 0700 /cache && chown 1000:1000 /cache
ENV SOURCE_TRAILER_DATA_CACHE=/cache
# uid 1000, as platforms run it; the files belong to root, so that the connector cannot change itself
USER 1000:1000
# absolute, since a platform starts it from a folder of its own, and equal to ENTRYPOINT
ENV AIRBYTE_ENTRYPOINT="/airbyte/dist/main.js"
ENTRYPOINT ["/airbyte/dist/main.js"]
