# docker build -t mr-minhash . after `npm run build && npm pack`; docker run --rm -v "$PWD:/data" mr-minhash run texts/ --out result
FROM node:24-slim
COPY mr-minhash-*.tgz /tmp/
RUN npm install --global --omit=dev --ignore-scripts /tmp/mr-minhash-*.tgz && rm /tmp/mr-minhash-*.tgz
USER node
WORKDIR /data
ENTRYPOINT ["mr-minhash"]
CMD ["--help"]
