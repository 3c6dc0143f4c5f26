import { fieldsOf } from './judged.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
} from './scripted-upstream.ts'

export const upstreamKey = 'sk-upstream-0123456789abcdef'

interface StoredBatch {
  readonly inputId: string
  readonly fields: Record<string, unknown>
}

export interface BatchUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly prompt_tokens_details?: object
}

/** A provider with OpenAI's files and batches, which takes nothing that the documentation does not allow. */
export interface BatchUpstream extends AsyncDisposable {
  readonly origin: string
  readonly requests: readonly RecordedRequest[]
  /** The contents by the provider's ids. */
  readonly files: ReadonlyMap<string, string>
  /** Carries out every batch that is not over: each line is answered, with this usage, and the lines are changed. */
  finish(usage: BatchUsage, change?: (lines: readonly string[]) => readonly string[]): void
  /** Answers the next request with this instead. */
  failNext(answer: ScriptedAnswer): void
  /** Answers the next read of a file's content with this instead. */
  failNextContent(answer: ScriptedAnswer): void
}

/** The provider: OpenAI itself, or a resource of Azure by this version of its API, where files are checked first. */
export interface BatchUpstreamKind {
  readonly azureVersion?: string | undefined
}

export async function openBatchUpstream({ azureVersion }: BatchUpstreamKind = {}): Promise<BatchUpstream> {
  const files = new Map<string, string>()
  const batches = new Map<string, StoredBatch>()
  const failures: ScriptedAnswer[] = []
  const contentFailures: ScriptedAnswer[] = []
  let made = 0
  const nameNext = (prefix: string) => `${prefix}REMOTE${String(++made).padStart(10, '0')}`
  const upstream: ScriptedUpstream = await openScriptedUpstream((request) => {
    const isContent = request.path.includes('/content')
    const failure = failures.shift() ?? (isContent ? contentFailures.shift() : undefined)
    return failure ?? answer(request)
  })

  function answer(request: RecordedRequest): ScriptedAnswer {
    const { method, headers } = request
    const shown = azureVersion === undefined ? headers.authorization : `Bearer ${headers['api-key']}`
    if (shown !== `Bearer ${upstreamKey}`) return refuse(401, 'wrong key')
    const path = readPath(request.path)
    if (path === undefined) return refuse(404, `Resource not found: ${request.path}`)
    const [, type, id = '', action = ''] = path.split('/')
    if (type === 'files') return answerFile(request, id, action)
    if (type !== 'batches') return refuse(404, `no such path ${path}`)
    if (id === '' && method === 'POST') return createBatch(fieldsOf(JSON.parse(request.body.toString())))
    const batch = batches.get(id)
    if (batch === undefined) return refuse(404, `No such Batch object: ${id}`)
    if (action === 'cancel' && method === 'POST') batch.fields['status'] = 'cancelled'
    else if (action !== '' || method !== 'GET') return refuse(405, 'no such method')
    return jsonAnswer(batch.fields)
  }

  /** The path below the version; undefined where the provider has no such address. */
  function readPath(path: string): string | undefined {
    if (azureVersion === undefined) return path.startsWith('/v1/') ? path.slice('/v1'.length) : undefined
    const isDated = /^\d{4}-/.test(azureVersion)
    const [root, query] = [isDated ? '/openai' : '/openai/v1', `?api-version=${azureVersion}`]
    return path.startsWith(`${root}/`) && path.endsWith(query)
      ? path.slice(root.length, -query.length)
      : undefined
  }

  function answerFile(request: RecordedRequest, id: string, action: string): ScriptedAnswer {
    const { method } = request
    if (id === '' && method === 'POST') return storeFile(request)
    const content = files.get(id)
    if (content === undefined) return refuse(404, `No such File object: ${id}`)
    if (action === 'content' && method === 'GET')
      return { headers: { 'content-type': 'application/octet-stream' }, chunks: [content] }
    if (action === '' && method === 'GET' && azureVersion !== undefined)
      return jsonAnswer({ id, object: 'file', status: 'processed', status_details: `checked ${id}` })
    if (action !== '' || method !== 'DELETE') return refuse(405, 'no such method')
    files.delete(id)
    return jsonAnswer({ id, object: 'file', deleted: true })
  }

  function storeFile({ headers, body }: RecordedRequest): ScriptedAnswer {
    if (Number(headers['content-length']) !== body.length) return refuse(400, 'the length is wrong')
    const boundary = /boundary=([^;]+)/.exec(headers['content-type'] ?? '')?.[1] ?? ''
    const parts = body.toString().split(`--${boundary}`)
    const textOf = (name: string) =>
      parts
        .find((part) => part.includes(`name="${name}"`))
        ?.split('\r\n\r\n')[1]
        ?.replace(/\r\n$/, '')
    const content = textOf('file')
    if (textOf('purpose') !== 'batch' || content === undefined) return refuse(400, 'a field is missing')
    for (const line of content.split('\n').filter((each) => each !== '')) {
      const { model } = fieldsOf(fieldsOf(JSON.parse(line))['body'])
      if (model !== 'upstream-m') return refuse(400, `no such model ${String(model)}`)
    }
    const id = nameNext('file-')
    files.set(id, content)
    return jsonAnswer({
      id,
      object: 'file',
      bytes: content.length,
      purpose: 'batch',
      filename: 'batch.jsonl',
      ...(azureVersion !== undefined && { status: 'pending' }),
    })
  }

  function createBatch(asked: Record<string, unknown>): ScriptedAnswer {
    const allowed = new Set(['input_file_id', 'endpoint', 'completion_window', 'metadata'])
    const unknown = Object.keys(asked).find((name) => !allowed.has(name))
    if (unknown !== undefined) return refuse(400, `unknown parameter ${unknown}`)
    const inputId = String(asked['input_file_id'])
    if (!files.has(inputId)) return refuse(400, `No such File object: ${inputId}`)
    const id = nameNext('batch_')
    const fields = {
      id,
      object: 'batch',
      ...asked,
      errors: null,
      status: 'validating',
      output_file_id: null,
      error_file_id: null,
      created_at: 1,
      request_counts: { total: 0, completed: 0, failed: 0 },
      model: 'upstream-m',
      secret_of_provider: `org-REMOTE1234567`,
    }
    batches.set(id, { inputId, fields })
    return jsonAnswer(fields)
  }

  return {
    origin: upstream.origin,
    requests: upstream.requests,
    files,
    finish(stated, change = (answers) => answers) {
      const usage = { ...stated, total_tokens: stated.prompt_tokens + stated.completion_tokens }
      for (const { inputId, fields } of batches.values()) {
        if (fields['status'] !== 'validating') continue
        const lines = (files.get(inputId) ?? '').split('\n').filter((line) => line !== '')
        const outputId = nameNext('file-')
        const answers = change(lines.map((line) => JSON.stringify(answerLine(line, usage))))
        files.set(outputId, answers.map((line) => `${line}\n`).join(''))
        const request_counts = { total: lines.length, completed: lines.length, failed: 0 }
        Object.assign(fields, { status: 'completed', output_file_id: outputId, request_counts })
      }
    },
    failNext(failure) {
      failures.push(failure)
    },
    failNextContent(failure) {
      contentFailures.push(failure)
    },
    [Symbol.asyncDispose]: () => upstream.close(),
  }
}

function answerLine(line: string, usage: object): object {
  const { custom_id } = fieldsOf(JSON.parse(line))
  const body = {
    id: 'chatcmpl-REMOTE12345',
    object: 'chat.completion',
    created: 1,
    model: 'upstream-m',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage,
  }
  const response = { status_code: 200, request_id: 'req_REMOTE12345', body }
  return { id: 'batch_req_REMOTE12345', custom_id, response, error: null }
}

function refuse(status: number, message: string): ScriptedAnswer {
  return jsonAnswer({ error: { message, type: 'invalid_request_error', param: null, code: null } }, status)
}
