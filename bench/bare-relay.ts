// The floor: node:http in, undici out, nothing in between. What a relay of the same parts must cost.
import { createServer } from 'node:http'
import { Pool } from 'undici'

const upstream = new Pool(process.argv[2] ?? '', {
  connections: Number(process.env['CONNECTIONS'] ?? 512),
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
})

const server = createServer((request, response) => {
  const body: Buffer[] = []
  request.on('data', (chunk: Buffer) => body.push(chunk))
  request.on('end', () => {
    upstream.dispatch(
      {
        method: 'POST',
        path: request.url ?? '/',
        headers: {
          'content-type': 'application/json',
          authorization: request.headers.authorization ?? '',
        },
        body: Buffer.concat(body),
      },
      {
        onRequestStart(controller) {
          response.on('drain', () => controller.resume())
          response.on('close', () => {
            if (!response.writableFinished) controller.abort(new Error('gone'))
          })
        },
        onResponseStart(_controller, status, headers) {
          const length = headers['content-length']
          response.writeHead(status, {
            'content-type': String(headers['content-type']),
            ...(length === undefined ? {} : { 'content-length': String(length) }),
          })
        },
        onResponseData(controller, chunk) {
          if (!response.write(chunk)) controller.pause()
        },
        onResponseEnd() {
          response.end()
        },
        onResponseError() {
          response.destroy()
        },
      },
    )
  })
})

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
})
// SIGUSR2 collects garbage under --expose-gc, so that memory is measured and not what nobody has swept yet.
process.on('SIGUSR2', () => globalThis.gc?.())
