import type { Channel, Credential } from '../catalog/channel.ts'
import { type ListFaultFact, ModelListError } from '../catalog/list-fault.ts'
import { isJsonArray, isJsonObject, type JsonValue } from '../kit/json/json.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { type NoAnswer, noAnswerOf } from '../kit/net/no-answer.ts'
import {
  authHeaders,
  type ModelListFormat,
  type Provider,
  type ProviderRegistry,
} from '../providers/provider.ts'
import { type Settlement, settleCall } from '../upstream/settle-call.ts'
import type { TransportFault } from '../upstream/transport-fault.ts'
import type { Upstream, UpstreamListener, UpstreamRequest } from '../upstream/upstream.ts'
import { emptyBody } from '../upstream/upstream-body.ts'
import { refuseJson } from '../wire/answer-bounds.ts'
import { authorizationOf, endpointOf } from './attempt/build-upstream-request.ts'

export interface ModelListFetcherOptions {
  readonly upstream: Upstream
  readonly providers: ProviderRegistry
  readonly userAgent: string
}

const MAX_LIST_BYTES = 8 * 1024 * 1024

/** Creates a function that asks a channel's upstream for its list of models. It rejects if the answer is not a list. */
export function createModelListFetcher({ upstream, providers, userAgent }: ModelListFetcherOptions) {
  return async function fetchModelList(
    channel: Channel,
    signal: AbortSignal,
    credential: Credential | undefined = channel.credentials[0],
  ): Promise<readonly string[]> {
    const provider = providers.find(channel.provider)
    if (provider === undefined) return []
    const ask = (from: ListAddress) =>
      fetchBody(upstream, requestFor(from, { provider, channel, credential, userAgent }), signal)
    if (provider.modelLists !== undefined) return askLists(provider.modelLists, channel, ask)
    const listPath = provider.modelListPathByFormat?.[channel.format] ?? provider.modelListPath
    if (listPath === undefined) return provider.models ?? []
    const { origin, basePath } = endpointOf(channel)
    return readNames(parseList(await ask({ origin, path: basePath + listPath })))
  }
}

interface ListAddress {
  readonly origin: string
  /** The path including the query. */
  readonly path: string
}

/** Joins the names of all lists, each name once. Rejects if one of the answers is not a list. */
async function askLists(
  lists: ModelListFormat,
  channel: Channel,
  ask: (from: ListAddress) => Promise<Buffer>,
): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const address of lists.addressesOf(channel)) {
    const { origin, pathname, search } = new URL(address)
    const found = lists.readNames(parseList(await ask({ origin, path: pathname + search })))
    if (found === undefined)
      throw new ModelListError(
        `the answer of ${origin}${pathname} is not a list of models`,
        plain('not_a_list'),
      )
    for (const name of found) names.add(name)
  }
  return [...names]
}

interface Asker {
  readonly provider: Provider
  readonly channel: Channel
  readonly credential: Credential | undefined
  readonly userAgent: string
}

function requestFor(
  { origin, path }: ListAddress,
  { provider, channel, credential, userAgent }: Asker,
): UpstreamRequest {
  return {
    method: 'GET',
    origin,
    pathAndQuery: path,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...provider.headers,
      ...authHeaders(provider, channel, credential?.secret),
    },
    body: emptyBody,
    connectTimeoutMs: channel.timeouts.connectMs,
    tlsTimeoutMs: channel.timeouts.tlsMs,
    allowPrivate: channel.allowPrivate,
    proxy: channel.proxy,
    authorities: channel.authorities,
    mayInflate: true,
    ...authorizationOf(provider, channel, credential),
  }
}

async function fetchBody(upstream: Upstream, request: UpstreamRequest, signal: AbortSignal): Promise<Buffer> {
  try {
    return await settleCall(upstream, {
      request,
      signal,
      listen: (settlement) => new BodyListener(settlement),
    })
  } catch (error) {
    if (!signal.aborted) throw error
    throw new ModelListError('the model list did not arrive in time', noAnswer('timeout'), { cause: error })
  }
}

class BodyListener implements UpstreamListener {
  readonly #settlement: Settlement<Buffer>
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(settlement: Settlement<Buffer>) {
    this.#settlement = settlement
  }

  onHead(status: number): void {
    if (status !== 200)
      this.#settlement.reject(
        new ModelListError(`the model list was answered with status ${status}`, {
          code: 'answered_status',
          values: { status },
        }),
      )
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#bytes > MAX_LIST_BYTES)
      this.#settlement.reject(new ModelListError('the model list is too long', plain('too_long')))
  }

  onEnd(): void {
    this.#settlement.resolve(Buffer.concat(this.#chunks))
  }

  onFault({ message, kind }: TransportFault): void {
    const fact = kind === 'unauthorized' ? plain('no_credential') : noAnswer(noAnswerOf(kind))
    this.#settlement.reject(new ModelListError(message, fact))
  }
}

function noAnswer(cause: NoAnswer): ListFaultFact {
  return { code: 'no_answer', values: { cause } }
}

function plain(code: Exclude<ListFaultFact['code'], 'no_answer' | 'answered_status'>): ListFaultFact {
  return { code, values: {} }
}

function parseList(body: Buffer): JsonValue {
  const text = body.toString('utf8')
  if (refuseJson(text) !== undefined)
    throw new ModelListError(
      'the model list is nested too deeply or has too many values',
      plain('too_complex'),
    )
  try {
    return parseJson(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new ModelListError(cause.message, plain('not_json'), { cause })
  }
}

/** The prefix that Google puts before the names of its models. */
const COLLECTION = /^models\//

/** Reads the names of a list. The list is in `data` or `models`, or the whole value is the list, as on some servers. */
function readNames(value: JsonValue): readonly string[] {
  const inner = isJsonObject(value) ? (value['data'] ?? value['models']) : value
  const list = isJsonArray(inner) ? inner : undefined
  if (list === undefined) throw new ModelListError('the model list has no "data"', plain('not_a_list'))
  return list.flatMap((item) => {
    const name = isJsonObject(item) ? (item['id'] ?? item['name']) : undefined
    return typeof name === 'string' ? [name.replace(COLLECTION, '')] : []
  })
}
