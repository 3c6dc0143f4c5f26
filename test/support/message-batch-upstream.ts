import { fieldsOf } from './judged.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
} from './scripted-upstream.ts'

export const messagesKey = 'sk-ant-upstream-0123456789abcdef'

interface StoredBatch {
  readonly requests: readonly Record<string, unknown>[]
  readonly fields: Record<string, unknown>
  results: string | undefined
}

export interface MessageUsage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
}

/** A provider with Anthropic's batches and files, which takes nothing that the documentation does not allow. */
export interface MessageBatchUpstream extends AsyncDisposable {
  readonly origin: string
  readonly requests: readonly RecordedRequest[]
  readonly files: ReadonlyMap<string, Buffer>
  readonly batches: ReadonlyMap<string, unknown>
  /**
   * Ends every batch: requests are answered with this usage, but for those whose `custom_id` begins with their fate.
   * Then the lines of the results are changed.
   */
  finish(usage: MessageUsage, change?: (lines: readonly string[]) => readonly string[]): void
  /** Answers the next request with this instead. */
  failNext(answer: ScriptedAnswer): void
}

const fates = ['errored', 'canceled', 'expired'] as const

export async function openMessageBatchUpstream(): Promise<MessageBatchUpstream> {
  const files = new Map<string, Buffer>()
  const batches = new Map<string, StoredBatch>()
  const failures: ScriptedAnswer[] = []
  let made = 0
  const nameNext = (prefix: string) => `${prefix}REMOTE${String(++made).padStart(10, '0')}`
  const upstream: ScriptedUpstream = await openScriptedUpstream(
    (request) => failures.shift() ?? answer(request),
  )

  function answer(request: RecordedRequest): ScriptedAnswer {
    const { method, headers } = request
    const [path = ''] = request.path.split('?')
    if (headers['x-api-key'] !== messagesKey) return refuse(401, 'authentication_error', 'wrong key')
    if (!/^20\d\d-\d\d-\d\d$/.test(String(headers['anthropic-version'])))
      return refuse(400, 'invalid_request_error', 'no version')
    if (path.startsWith('/v1/files')) return answerFile(request, path)
    if (path === '/v1/messages' && method === 'POST') return answerMessage(request)
    if (!path.startsWith('/v1/messages/batches')) return refuse(404, 'not_found_error', `no path ${path}`)
    const [, , , , id = '', action = ''] = path.split('/')
    if (id === '' && method === 'POST') return createBatch(request)
    const batch = batches.get(id)
    if (batch === undefined) return refuse(404, 'not_found_error', `Batch not found: ${id}`)
    if (action === 'results' && method === 'GET') {
      if (batch.results === undefined) return refuse(404, 'not_found_error', `No results of ${id}`)
      return { headers: { 'content-type': 'application/x-jsonl' }, chunks: [batch.results] }
    }
    if (action === 'cancel' && method === 'POST') {
      Object.assign(batch.fields, {
        processing_status: 'canceling',
        cancel_initiated_at: '2026-11-25T00:00:00Z',
      })
      return jsonAnswer(batch.fields)
    }
    if (action !== '') return refuse(405, 'invalid_request_error', 'no such method')
    if (method === 'GET') return jsonAnswer(batch.fields)
    if (method !== 'DELETE') return refuse(405, 'invalid_request_error', 'no such method')
    if (batch.results === undefined) return refuse(400, 'invalid_request_error', `${id} is in progress`)
    batches.delete(id)
    return jsonAnswer({ id, type: 'message_batch_deleted' })
  }

  function createBatch({ body }: RecordedRequest): ScriptedAnswer {
    const asked = fieldsOf(JSON.parse(body.toString()))
    if (Object.keys(asked).join() !== 'requests') return refuse(400, 'invalid_request_error', 'extra inputs')
    const requests = (asked['requests'] as unknown[]).map(fieldsOf)
    for (const request of requests) {
      if (Object.keys(request).toSorted().join() !== 'custom_id,params')
        return refuse(400, 'invalid_request_error', 'extra inputs in a request')
      const fault = judgeParams(fieldsOf(request['params']))
      if (fault !== undefined) return fault
    }
    const id = nameNext('msgbatch_')
    const fields = {
      id,
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: { processing: requests.length, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
      ended_at: null,
      created_at: '2026-11-25T00:00:00Z',
      expires_at: '2026-11-26T00:00:00Z',
      archived_at: null,
      cancel_initiated_at: null,
      results_url: null,
      workspace: 'wrkspc_REMOTE1234567',
    }
    batches.set(id, { requests, fields, results: undefined })
    return jsonAnswer(fields)
  }

  function judgeParams(params: Record<string, unknown>): ScriptedAnswer | undefined {
    if (!String(params['model']).startsWith('claude-upstream'))
      return refuse(404, 'not_found_error', `model: ${String(params['model'])}`)
    const named = JSON.stringify(params).match(/"file_id":"([^"]+)"/g) ?? []
    for (const each of named) {
      const id = each.slice('"file_id":"'.length, -1)
      if (!files.has(id)) return refuse(404, 'not_found_error', `File not found: ${id}`)
    }
    return undefined
  }

  function answerMessage({ body }: RecordedRequest): ScriptedAnswer {
    const params = fieldsOf(JSON.parse(body.toString()))
    return (
      judgeParams(params) ??
      jsonAnswer(messageOf(String(params['model']), { input_tokens: 3, output_tokens: 2 }))
    )
  }

  function answerFile(request: RecordedRequest, path: string): ScriptedAnswer {
    const [, , , id = '', action = ''] = path.split('/')
    const { method } = request
    if (id === '' && method === 'POST') return storeFile(request)
    const content = files.get(id)
    if (content === undefined) return refuse(404, 'not_found_error', `File not found: ${id}`)
    if (action === 'content' && method === 'GET')
      return { headers: { 'content-type': 'text/plain' }, chunks: [content] }
    if (action !== '' || method !== 'DELETE') return refuse(405, 'invalid_request_error', 'no such method')
    files.delete(id)
    return jsonAnswer({ id, type: 'file_deleted' })
  }

  function storeFile({ headers, body }: RecordedRequest): ScriptedAnswer {
    if (Number(headers['content-length']) !== body.length)
      return refuse(400, 'invalid_request_error', 'the length is wrong')
    const boundary = /boundary=([^;]+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
    const parts = body.toString('latin1').split(`--${boundary}`).slice(1, -1)
    const names = parts.map((part) => /name="([^"]*)"/.exec(part)?.[1] ?? '')
    if (names.some((name) => name !== 'file' && name !== 'expires_in_seconds'))
      return refuse(400, 'invalid_request_error', `extra fields ${names.join()}`)
    const file = parts[names.indexOf('file')] ?? ''
    const content = Buffer.from(file.slice(file.indexOf('\r\n\r\n') + 4, -2), 'latin1')
    const id = nameNext('file_')
    files.set(id, content)
    return jsonAnswer({
      id,
      type: 'file',
      filename: /filename="([^"]*)"/.exec(file)?.[1] ?? '',
      mime_type: /content-type: ([^\r]+)/i.exec(file)?.[1] ?? '',
      size_bytes: content.length,
      created_at: '2026-11-25T00:00:00Z',
      downloadable: true,
      scope: { id: 'sess_REMOTE1234567', type: 'session' },
    })
  }

  return {
    origin: upstream.origin,
    requests: upstream.requests,
    files,
    batches,
    finish(usage, change = (results) => results) {
      for (const [id, batch] of batches) {
        if (batch.results !== undefined) continue
        const lines = batch.requests.map((request) => resultOf(request, usage))
        const succeeded = lines.filter(({ result }) => result.type === 'succeeded').length
        const results = change(lines.toReversed().map((line) => JSON.stringify(line)))
        batch.results = results.map((line) => `${line}\n`).join('')
        Object.assign(batch.fields, {
          processing_status: 'ended',
          ended_at: '2026-11-25T01:00:00Z',
          results_url: `${upstream.origin}/v1/messages/batches/${id}/results`,
          request_counts: {
            processing: 0,
            succeeded,
            errored: lines.length - succeeded,
            canceled: 0,
            expired: 0,
          },
        })
      }
    },
    failNext(failure) {
      failures.push(failure)
    },
    [Symbol.asyncDispose]: () => upstream.close(),
  }
}

function resultOf({ custom_id, params }: Record<string, unknown>, usage: MessageUsage) {
  const customId = String(custom_id)
  const fate = fates.find((each) => customId.startsWith(each))
  if (fate === 'errored') {
    const error = { type: 'invalid_request_error', message: 'File not found: file_REMOTE1234567' }
    return {
      custom_id: customId,
      result: { type: fate, error: { type: 'error', error, request_id: 'req_REMOTE1234567' } },
    }
  }
  if (fate !== undefined) return { custom_id: customId, result: { type: fate } }
  const message = messageOf(String(fieldsOf(params)['model']), usage)
  return { custom_id: customId, result: { type: 'succeeded', message } }
}

function messageOf(model: string, usage: MessageUsage) {
  return {
    id: 'msg_REMOTE1234567',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, ...usage, service_tier: 'batch' },
  }
}

function refuse(status: number, type: string, message: string): ScriptedAnswer {
  return jsonAnswer({ type: 'error', error: { type, message }, request_id: 'req_REMOTE1234567' }, status)
}
