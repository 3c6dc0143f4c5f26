import { createServer, type ServerResponse } from 'node:http'
import { answerWell, type GoodAnswer } from './good-answers.ts'
import type { SpoiltAnswer } from './spoil-answer.ts'

export interface AnsweringUpstream {
  readonly origin: string
  close(): Promise<void>
}

/** A provider of both formats that answers well, or as `spoil` leaves its answers. */
export async function openAnsweringUpstream(
  spoil: (good: GoodAnswer) => SpoiltAnswer,
): Promise<AnsweringUpstream> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = parse(Buffer.concat(parts).toString('utf8'))
      send(response, body === undefined ? refusal : spoil(answerWell(request.url ?? '', body)))
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the upstream has no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      const closed = new Promise((done) => server.close(done))
      server.closeAllConnections()
      await closed
    },
  }
}

/** As real providers answer what is no JSON. */
const refusal: SpoiltAnswer = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  pieces: [Buffer.from('{"error":{"message":"not JSON","type":"invalid_request_error"}}')],
  ending: 'end',
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Answers without spoiling anything. */
export function leaveAsIs({ contentType, text }: GoodAnswer): SpoiltAnswer {
  return { status: 200, headers: { 'content-type': contentType }, pieces: [Buffer.from(text)], ending: 'end' }
}

function send(response: ServerResponse, { status, headers, pieces, ending }: SpoiltAnswer): void {
  response.writeHead(status, headers)
  for (const piece of pieces) if (piece.length > 0) response.write(piece)
  if (ending === 'end') response.end()
  else if (ending === 'reset') response.socket?.resetAndDestroy()
  else response.socket?.end()
}
