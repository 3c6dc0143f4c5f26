import { jsonAnswer, type RecordedRequest, sseAnswer } from './scripted-upstream.ts'

const item = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Yes.', annotations: [] }],
}
/** A whole response of one item, which says `Yes.` */
export const responseOf = (id: string, more: object = {}) => ({
  id,
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  store: true,
  output: [item],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  ...more,
})

/** A provider that keeps what it answers, each channel under ids of its own. */
export function keeper(name: string) {
  return (request: RecordedRequest) => {
    const { method, path } = request
    if (method === 'POST' && path === '/v1/responses') {
      const { stream } = JSON.parse(String(request.body))
      const response = responseOf(`resp_${name}`)
      if (stream !== true) return jsonAnswer(response)
      const events = [
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response },
      ]
      return sseAnswer(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
    }
    if (path.endsWith('/cancel'))
      return jsonAnswer(responseOf(`resp_${name}`, { status: 'cancelled', output: [] }))
    if (path.includes('/input_items')) return jsonAnswer({ object: 'list', data: [], has_more: false })
    if (path.endsWith('/compact'))
      return jsonAnswer({ id: 'resp_c', object: 'response.compaction', output: [] })
    if (path.endsWith('/input_tokens'))
      return jsonAnswer({ object: 'response.input_tokens', input_tokens: 7 })
    if (method === 'DELETE') return jsonAnswer({ id: `resp_${name}`, object: 'response', deleted: true })
    return jsonAnswer(responseOf(`resp_${name}`))
  }
}
