import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { until } from '../../../test/support/until.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { UnbufferedRequest } from '../body/read-body.ts'
import { answerClientError } from './answer-client-error.ts'
import { serveInTurn } from './serve-in-turn.ts'

/** A server that answers when the test says. */
async function openServer() {
  const responses: ServerResponse[] = []
  const faults: string[] = []
  const options = { IncomingMessage: UnbufferedRequest, headersTimeout: 100, connectionsCheckingInterval: 20 }
  const server = createServer(
    options,
    serveInTurn((_message, response) => void responses.push(response), {
      clock: systemClock,
      reportFault: throwFault,
    }),
  )
  server.on('clientError', (error: Error & { code?: string }) => void faults.push(error.code ?? ''))
  server.on('clientError', answerClientError)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { port, responses, faults }
}

const request = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'

it('still serves a request whose headers time out while reading is paused', async () => {
  const { port, responses, faults } = await openServer()
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (part) => {
    text += String(part)
  })
  socket.write(request.repeat(17) + request.slice(0, 8))
  await until('the head is overdue', () => faults.length > 0)
  socket.write(request.slice(8))
  for (let index = 0; index < 18; index += 1) {
    await until('the next request is served', () => responses.length > index)
    responses[index]?.end()
  }
  await until('all are answered', () => text.split('HTTP/1.1 200').length === 19)
  expect(faults).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
})

it('resumes reading when no request is waiting', async () => {
  const { port, responses } = await openServer()
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  for (let round = 1; round <= 3; round += 1) {
    socket.write(request.repeat(40))
    for (let index = 40 * (round - 1); index < 40 * round; index += 1) {
      await until('the next request is served', () => responses.length > index)
      expect(responses.length).toBeLessThanOrEqual(index + 16)
      responses[index]?.end()
    }
  }
  expect(responses).toHaveLength(120)
})

/** A server that answers once a request is whole, and the paths in the order in which they were served. */
async function openQuickServer() {
  const served: string[] = []
  const serve = serveInTurn(
    (message, response) => {
      served.push(message.url ?? '')
      message.resume()
      if (message.complete) response.end('ok')
      else message.on('end', () => response.end('ok'))
    },
    { clock: systemClock, reportFault: throwFault },
  )
  let created = 0
  class CountedRequest extends UnbufferedRequest {
    constructor(socket: Socket) {
      super(socket)
      created += 1
    }
  }
  const server = createServer({ IncomingMessage: CountedRequest }, serve)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    served,
    created: () => created,
  }
}

function openSocket(port: number) {
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (part) => {
    text += String(part)
  })
  return { socket, answers: () => text.split('HTTP/1.1 200').length - 1, text: () => text }
}

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`

it('lets pipelined requests of a connection take turns with requests of other connections', async () => {
  const { port, served } = await openQuickServer()
  const many = Array.from({ length: 20 }, () => openSocket(port))
  const one = openSocket(port)
  for (const { socket } of [...many, one]) socket.write(requestOf('/first'))
  await until('all are connected', () => served.length === 21)
  for (const { socket } of many) socket.write(requestOf('/many').repeat(60))
  one.socket.write(requestOf('/one'))
  await until('all are answered', () => served.length === 21 + 1_201)
  expect(served.indexOf('/one')).toBeLessThan(600)
  await until('all answers came', () => many.every(({ answers }) => answers() === 61))
})

it('closes a connection that pipelines too many requests, after answering the waiting ones', async () => {
  const { port, served, created } = await openQuickServer()
  const { socket, answers, text } = openSocket(port)
  socket.on('error', () => undefined)
  socket.write(requestOf('/').repeat(1_500))
  await once(socket, 'close')
  expect(served.length).toBeGreaterThanOrEqual(64)
  expect(served.length).toBeLessThan(100)
  expect(answers()).toBe(served.length)
  expect(text()).toMatch(/connection: close.{0,200}$/is)
  // The requests that came with them cost nothing.
  expect(created()).toBeLessThanOrEqual(served.length + 1)
})

it('answers the last request that may wait, even if its body is still to come', async () => {
  const { port, served } = await openQuickServer()
  const { socket, answers } = openSocket(port)
  socket.on('error', () => undefined)
  const head = 'POST /last HTTP/1.1\r\nhost: a\r\ncontent-length: 300000\r\n\r\n'
  // Started as they come are 8, and the 64th of those that wait is the last.
  socket.write(requestOf('/').repeat(71) + head + 'x'.repeat(300_000) + requestOf('/beyond').repeat(5))
  await once(socket, 'close')
  expect(served).toHaveLength(72)
  expect(served.at(-1)).toBe('/last')
  expect(answers()).toBe(72)
})
