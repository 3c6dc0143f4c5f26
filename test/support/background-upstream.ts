import { responseOf } from './keeper.ts'
import { jsonAnswer, type RecordedRequest, type ScriptedAnswer, sseAnswer } from './scripted-upstream.ts'

/** The state of every response, as the provider reports it. */
export interface BackgroundState {
  status: string
  usage: object | null
}

/** A provider that works on responses after their requests; `state` is that of each response when it is read. */
export function createBackgroundScript(state: BackgroundState) {
  let made = 0
  return ({ method, path, body }: RecordedRequest): ScriptedAnswer => {
    if (method === 'POST' && path === '/v1/responses') {
      const { stream } = JSON.parse(String(body))
      made += 1
      const queued = backgroundResponse(`resp_${made}`, { status: 'queued', usage: null })
      if (stream === true)
        return sseAnswer([eventOf('response.queued', { response: queued }), firstWord, goesOn])
      return jsonAnswer(queued)
    }
    const [, id = ''] = /^\/v1\/responses\/(\w+)/.exec(path) ?? []
    const response = backgroundResponse(id, state)
    if (!path.includes('stream=true')) return jsonAnswer(response)
    return sseAnswer([eventOf(`response.${state.status}`, { response })])
  }
}

const firstWord = eventOf('response.output_text.delta', { delta: 'Y', item_id: 'msg_1', output_index: 0 })
const goesOn = new Promise<string>(() => undefined)

function backgroundResponse(id: string, { status, usage }: BackgroundState) {
  return responseOf(id, { status, usage, background: true, ...(status !== 'completed' && { output: [] }) })
}

function eventOf(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 1, ...fields })}\n\n`
}
