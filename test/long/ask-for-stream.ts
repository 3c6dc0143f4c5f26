import { type Agent, request } from 'node:http'
import { isBegun, isWhole, type KeyName, streamRequest } from './killed-gateway.ts'

/** A stream, or a whole answer, as its caller saw it. */
export interface StreamAnswer {
  readonly requestId: string
  /** 0 where no answer came. */
  readonly status: number
  readonly isBegun: boolean
  readonly isWhole: boolean
  /** What the connection failed with, or the answer that is no stream; empty where nothing failed. */
  readonly fault: string
  /** The code of the error event that it ends in; empty where it has none. */
  readonly errorCode: string
}

export interface AskedFor {
  readonly key: KeyName
  readonly agent: Agent
  readonly asks?: 'stream' | 'whole'
}

/** Asks for a short stream, or for a whole answer; never rejects. */
export function askForStream(url: string, { key, agent, asks = 'stream' }: AskedFor): Promise<StreamAnswer> {
  const { method, headers, body } = streamRequest(key, {}, asks === 'stream')
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/chat/completions`, { method, headers, agent }, (answer) => {
      let text = ''
      let fault = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('error', (error) => {
        fault = error.message
      })
      answer.once('close', () => {
        const isStream = isBegun(text)
        resolve({
          requestId: String(answer.headers['x-request-id'] ?? ''),
          status: answer.statusCode ?? 0,
          isBegun: isStream,
          isWhole: (asks === 'stream' ? isWhole(text) : isStream) && answer.complete,
          fault: isStream ? fault : text.slice(0, 300),
          errorCode: /"code":"(\w+)"/.exec(text)?.[1] ?? '',
        })
      })
    })
    sent.on('error', (error) =>
      resolve({
        requestId: '',
        status: 0,
        isBegun: false,
        isWhole: false,
        fault: error.message,
        errorCode: '',
      }),
    )
    sent.end(body)
  })
}
