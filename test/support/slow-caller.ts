import { Agent, request } from 'node:http'

/** The answer to one request as its caller saw it. */
export interface SeenAnswer {
  /** 0 where the connection ended without a status. */
  readonly status: number
  readonly body: string
  /** Whether the answer came to its proper end. */
  readonly isWhole: boolean
}

export interface CallOptions {
  readonly key: string
  readonly stream?: boolean
  /** One connection for each call, unless given. */
  readonly agent?: Agent
  /** Called with the first bytes of the answer's body. */
  readonly onBegun?: () => void
}

/** Sends a small chat request; never rejects. */
export function callChat(
  url: string,
  { key, stream = false, agent = new Agent(), onBegun }: CallOptions,
): Promise<SeenAnswer> {
  return new Promise((resolve) => {
    let status = 0
    let body = ''
    const sent = request(
      `${url}/v1/chat/completions`,
      {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      },
      (answer) => {
        status = answer.statusCode ?? 0
        answer.on('data', (chunk: Buffer) => {
          if (body === '') onBegun?.()
          body += chunk.toString('utf8')
        })
        answer.on('error', () => undefined)
        answer.once('close', () => resolve({ status, body, isWhole: answer.complete }))
      },
    )
    sent.on('error', () => resolve({ status, body, isWhole: false }))
    sent.end(
      JSON.stringify({ model: 'm', stream, max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] }),
    )
  })
}
