import { createFakeGoogle, type FakeGoogle } from './fake-google.ts'
import { fieldsOf } from './judged.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  type ScriptedUpstream,
} from './scripted-upstream.ts'

export interface VertexCall {
  readonly project: string
  readonly region: string
  readonly publisher: string
  readonly model: string
  /** The method, such as `generateContent`. */
  readonly method: string
  readonly query: string
  readonly body: Readonly<Record<string, unknown>>
  readonly request: RecordedRequest
}

export interface FakeVertex extends AsyncDisposable {
  readonly google: FakeGoogle
  readonly upstream: ScriptedUpstream
  /** Calls of models, tokens apart. */
  readonly calls: readonly VertexCall[]
  readonly tokenRequests: () => number
  readonly keyFile: string
}

const PATH =
  /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/([^/]+)\/models\/([^/:]+):(\w+)(\?.*)?$/

/** Vertex AI and Google's token service on one port. It takes no call without a good token, and no path but its own. */
export async function openFakeVertex(answer: (call: VertexCall) => ScriptedAnswer): Promise<FakeVertex> {
  const google = createFakeGoogle(() => Date.now())
  const calls: VertexCall[] = []
  let origin = ''
  const upstream = await openScriptedUpstream((request) => {
    if (request.path === '/token') {
      const { status, body } = google.answerToken(request.body.toString(), `${origin}/token`)
      return { status, headers: { 'content-type': 'application/json' }, chunks: [body] }
    }
    if (!google.isGood(request.headers.authorization)) {
      const error = {
        code: 401,
        message: 'Request had invalid authentication credentials.',
        status: 'UNAUTHENTICATED',
      }
      return jsonAnswer({ error }, 401)
    }
    const found = PATH.exec(request.path)
    if (found === null) return jsonAnswer({ error: { code: 404, message: 'no such path' } }, 404)
    const [, project = '', region = '', publisher = '', model = '', method = '', query = ''] = found
    const body = fieldsOf(JSON.parse(request.body.toString()))
    const call = {
      project,
      region,
      publisher,
      model: decodeURIComponent(model),
      method,
      query,
      body,
      request,
    }
    calls.push(call)
    return answer(call)
  })
  origin = upstream.origin
  return {
    google,
    upstream,
    calls,
    tokenRequests: () => upstream.requests.filter(({ path }) => path === '/token').length,
    keyFile: google.keyFile(`${origin}/token`),
    [Symbol.asyncDispose]: () => upstream.close(),
  }
}
