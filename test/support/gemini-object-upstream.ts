import { fieldsOf } from './judged.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
} from './scripted-upstream.ts'

export const geminiKey = 'AIza-upstream-0123456789abcdef'

interface Session {
  readonly size: number
  readonly mimeType: string
  readonly displayName: unknown
  bytes: Buffer
}

/** A provider with Gemini's files and cached contents, which takes nothing that the documentation does not allow. */
export interface GeminiObjectUpstream extends AsyncDisposable {
  readonly origin: string
  readonly requests: readonly RecordedRequest[]
  readonly files: ReadonlyMap<string, Buffer>
  readonly caches: ReadonlyMap<string, Record<string, unknown>>
  /** Answers the next request with this instead. */
  failNext(answer: ScriptedAnswer): void
}

const FILE_FIELDS = new Set(['displayName', 'mimeType'])
const CACHE_FIELDS = new Set([
  'model',
  'contents',
  'systemInstruction',
  'ttl',
  'expireTime',
  'displayName',
  'tools',
])

export async function openGeminiObjectUpstream(): Promise<GeminiObjectUpstream> {
  const sessions = new Map<string, Session>()
  const files = new Map<string, Buffer>()
  const shownFiles = new Map<string, Record<string, unknown>>()
  const caches = new Map<string, Record<string, unknown>>()
  const failures: ScriptedAnswer[] = []
  let made = 0
  const nameNext = () => `remote${String(++made).padStart(10, '0')}`
  const upstream: ScriptedUpstream = await openScriptedUpstream(
    (request) => failures.shift() ?? answer(request),
  )

  function answer(request: RecordedRequest): ScriptedAnswer {
    const { method, headers } = request
    const url = new URL(request.path, upstream.origin)
    if (headers['x-goog-api-key'] !== geminiKey) return refuse(401, 'wrong key')
    const { pathname } = url
    if (pathname === '/upload/v1beta/files' && method === 'POST') return upload(request, url.searchParams)
    const [, version, type, name = ''] = pathname.split('/')
    if (version !== 'v1beta') return refuse(404, `no path ${pathname}`)
    if (type === 'files') return answerFile(method, name)
    if (type === 'cachedContents') return answerCache(request, name, url.searchParams)
    if (type === 'models' && name === 'gemini-upstream:generateContent') return generate(request)
    return refuse(404, `no path ${pathname}`)
  }

  function upload({ headers, body }: RecordedRequest, query: URLSearchParams): ScriptedAnswer {
    const command = headers['x-goog-upload-command']
    const id = query.get('upload_id')
    if (id === null) {
      if (command !== 'start' || headers['x-goog-upload-protocol'] !== 'resumable')
        return refuse(400, 'no start')
      const { file } = fieldsOf(JSON.parse(body.toString()))
      const fields = fieldsOf(file)
      const unknown = Object.keys(fields).find((name) => !FILE_FIELDS.has(name))
      if (unknown !== undefined) return refuse(400, `unknown field ${unknown}`)
      const session = nameNext()
      sessions.set(session, {
        size: Number(headers['x-goog-upload-header-content-length']),
        mimeType: String(headers['x-goog-upload-header-content-type']),
        displayName: fields['displayName'],
        bytes: Buffer.alloc(0),
      })
      const address = `${upstream.origin}/upload/v1beta/files?upload_id=${session}&upload_protocol=resumable`
      return {
        headers: {
          'x-goog-upload-url': address,
          'x-goog-upload-status': 'active',
          'x-goog-upload-chunk-granularity': '262144',
        },
      }
    }
    const session = sessions.get(id)
    if (session === undefined) return refuse(404, `no session ${id}`)
    const size = String(session.bytes.length)
    if (command === 'query')
      return { headers: { 'x-goog-upload-status': 'active', 'x-goog-upload-size-received': size } }
    if (command === 'cancel') {
      sessions.delete(id)
      return { headers: { 'x-goog-upload-status': 'cancelled' } }
    }
    if (Number(headers['x-goog-upload-offset']) !== session.bytes.length)
      return refuse(400, 'the offset is wrong')
    session.bytes = Buffer.concat([session.bytes, body])
    if (command === 'upload') return { headers: { 'x-goog-upload-status': 'active' } }
    if (command !== 'upload, finalize') return refuse(400, `no command ${command}`)
    if (session.bytes.length !== session.size) return refuse(400, 'the size is wrong')
    sessions.delete(id)
    const name = nameNext()
    files.set(name, session.bytes)
    const file = {
      name: `files/${name}`,
      displayName: session.displayName,
      mimeType: session.mimeType,
      sizeBytes: String(session.size),
      createTime: '2026-11-25T00:00:00Z',
      updateTime: '2026-11-25T00:00:00Z',
      expirationTime: '2099-11-27T00:00:00Z',
      sha256Hash: 'aGFzaA==',
      uri: `${upstream.origin}/v1beta/files/${name}`,
      downloadUri: `${upstream.origin}/v1beta/files/${name}:download`,
      state: 'PROCESSING',
      source: 'UPLOADED',
    }
    shownFiles.set(name, file)
    const answered = jsonAnswer({ file })
    return { ...answered, headers: { ...answered.headers, 'x-goog-upload-status': 'final' } }
  }

  function answerFile(method: string, name: string): ScriptedAnswer {
    const file = shownFiles.get(name)
    if (file === undefined) return refuse(404, `No such file: files/${name}`)
    if (method === 'GET') return jsonAnswer({ ...file, state: 'ACTIVE' })
    if (method !== 'DELETE') return refuse(405, 'no such method')
    shownFiles.delete(name)
    files.delete(name)
    return jsonAnswer({})
  }

  function answerCache(request: RecordedRequest, name: string, query: URLSearchParams): ScriptedAnswer {
    const { method } = request
    if (name === '' && method === 'POST') return createCache(request)
    const cache = caches.get(name)
    if (cache === undefined) return refuse(403, `CachedContent not found (or permission denied): ${name}`)
    if (method === 'DELETE') {
      caches.delete(name)
      return jsonAnswer({})
    }
    if (method === 'PATCH') {
      const fields = fieldsOf(JSON.parse(request.body.toString()))
      const mask = query.get('updateMask')
      if (Object.keys(fields).join() !== 'ttl' || (mask !== null && mask !== 'ttl'))
        return refuse(400, 'unknown field')
      cache['expireTime'] = '2098-11-25T00:00:00Z'
    }
    return jsonAnswer(cache)
  }

  function createCache({ body }: RecordedRequest): ScriptedAnswer {
    const {
      model,
      contents,
      systemInstruction: _system,
      tools: _tools,
      ttl: _ttl,
      ...rest
    } = fieldsOf(JSON.parse(body.toString()))
    const unknown = Object.keys(rest).find((each) => !CACHE_FIELDS.has(each))
    if (unknown !== undefined) return refuse(400, `unknown field ${unknown}`)
    if (model !== 'models/gemini-upstream') return refuse(404, `${String(model)} is not found`)
    const missing = findMissing(contents)
    if (missing !== undefined) return missing
    const name = nameNext()
    const cache = {
      name: `cachedContents/${name}`,
      model,
      ...rest,
      createTime: '2026-11-25T00:00:00Z',
      updateTime: '2026-11-25T00:00:00Z',
      expireTime: '2099-11-25T00:00:00Z',
      usageMetadata: { totalTokenCount: 5_000 },
    }
    caches.set(name, cache)
    return jsonAnswer(cache)
  }

  function findMissing(contents: unknown): ScriptedAnswer | undefined {
    for (const [, uri = ''] of JSON.stringify(contents ?? []).matchAll(/"fileUri":"([^"]+)"/g)) {
      const name = uri.replace(`${upstream.origin}/v1beta/files/`, '')
      if (!files.has(name))
        return refuse(403, `You do not have permission to access the File ${name} or it may not exist.`)
    }
    return undefined
  }

  function generate({ body }: RecordedRequest): ScriptedAnswer {
    const { contents, cachedContent } = fieldsOf(JSON.parse(body.toString()))
    const missing = findMissing(contents)
    if (missing !== undefined) return missing
    if (cachedContent !== undefined && !caches.has(String(cachedContent).replace('cachedContents/', '')))
      return refuse(403, 'CachedContent not found (or permission denied)')
    const content = { role: 'model', parts: [{ text: 'Hello' }] }
    return jsonAnswer({
      candidates: [{ content, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: 5_010,
        candidatesTokenCount: 2,
        totalTokenCount: 5_012,
        ...(cachedContent !== undefined && { cachedContentTokenCount: 5_000 }),
      },
    })
  }

  return {
    origin: upstream.origin,
    requests: upstream.requests,
    files,
    caches,
    failNext(failure) {
      failures.push(failure)
    },
    [Symbol.asyncDispose]: () => upstream.close(),
  }
}

function refuse(status: number, message: string): ScriptedAnswer {
  const word = status === 404 ? 'NOT_FOUND' : status === 403 ? 'PERMISSION_DENIED' : 'INVALID_ARGUMENT'
  return jsonAnswer({ error: { code: status, message, status: word } }, status)
}
