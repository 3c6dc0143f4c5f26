import { openGateway } from '../../support/open-gateway.ts'
import { jsonAnswer } from '../../support/scripted-upstream.ts'
import { bodyLimit, SMUGGLED } from './raw-case.ts'

export interface EchoGateway extends AsyncDisposable {
  readonly port: number
  /** The number of requests that reached the upstream though nobody sent them. */
  readonly smuggled: () => number
}

/** The gateway before an upstream that gives the last message's words back. */
export async function openEchoGateway({ connections = 1_000 } = {}): Promise<EchoGateway> {
  let smuggled = 0
  const open = await openGateway({
    scripts: [
      ({ body }) => {
        const text = body.toString('utf8')
        if (text.includes(SMUGGLED)) smuggled += 1
        const content = /MARKER-\d+/.exec(text)?.[0] ?? 'CASE'
        return jsonAnswer({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        })
      },
    ],
    more: `limits: { body: ${bodyLimit / 1024}KB, connections: ${connections} }`,
  })
  return {
    port: open.gateway.port,
    smuggled: () => smuggled,
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  }
}
