import { permits } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { modelNotFound } from '../../canonical/model-not-found.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { isJsonObject, type JsonObject, quoteText } from '../../kit/json/json.ts'
import { type JsonSpan, membersOf, replaceSpans, stringOf } from '../../kit/json/json-spans.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import { createPlainObjectId } from '../../kit/random/ids.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import { findStoredNames } from '../../wire/gemini/verbatim/find-stored-names.ts'
import { askProvider, badAnswer } from '../batches/call-provider.ts'
import { findObject, type ObjectCall, ownerOf, SMALL_ANSWER_MS } from '../batches/object-input.ts'
import type { RequestedCachedContent } from '../exchange/caller-request.ts'
import { joined } from '../references/find-references.ts'
import { ReferredObjects } from '../references/resolve-references.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import { findShownPage } from './find-shown-page.ts'
import { readStatedTime, showCachedContent } from './show-gemini-objects.ts'

/** The limits of https://ai.google.dev/api/caching#method:-cachedcontents.list, seen 2026-11-25. */
const pageBounds = { defaultSize: 50, maxSize: 1_000 }
/** The lifetime of cached content that states none (https://ai.google.dev/gemini-api/docs/caching, seen 2026-11-25). */
const CACHE_LIFE_MS = HOUR_MS

/** Serves a request for cached contents. Rejects with `GatewayError`. */
export async function serveCachedContent(
  call: ObjectCall,
  { action, id }: RequestedCachedContent,
): Promise<JsonObject> {
  switch (action) {
    case 'create':
      return createCache(call)
    case 'list': {
      const { objects, next } = await findShownPage(call, 'cached-content', pageBounds)
      return { ...(objects.length > 0 && { cachedContents: objects.map(show) }), ...next }
    }
    case 'show':
      return askCache(call, id, { method: 'GET' })
    case 'change':
      return askCache(call, id, { method: 'PATCH', body: readChange(call) })
    case 'delete':
      return deleteCache(call, id)
  }
}

function show({ detail }: RemoteObject): JsonObject {
  return detail.type === 'cached-content' ? detail.shown : {}
}

async function createCache(call: ObjectCall): Promise<JsonObject> {
  const { request, clock, remoteObjects } = call
  const bytes = joined(request.body)
  const model = readModel(request.body, bytes)
  const publicName = (stringOf(bytes, model) ?? '').replace(/^models\//, '')
  const objects = new ReferredObjects(request.caller.keyId, call)
  const named = findStoredNames(bytes)
  await objects.find(named, () => false)
  const owner = chooseOwner(call, publicName, objects)
  const { target, credential } = owner.candidate
  refuseMoneyLimit(call, owner)
  call.recordModel(publicName)
  const upstreamName = target.upstreamModel.replace(/^models\//, '')
  const renamed = replaceSpans(bytes, [
    ...objects.changesOf(named),
    { ...model, bytes: Buffer.from(quoteText(`models/${upstreamName}`)) },
  ])
  const timeoutMs = target.channel.timeouts.totalMs
  const ask = { owner, method: 'POST', path: '/cachedContents', bytes: [renamed], timeoutMs } as const
  const remote = await askProvider(ask, call)
  call.attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const createdAtMs = clock.nowMs()
  const id = createPlainObjectId(createdAtMs)
  const shown = showCachedContent(remote, { id, publicName })
  await remoteObjects.add({
    keyId: request.caller.keyId,
    id,
    channelName: target.channel.name,
    credentialId: credential?.id,
    publicName,
    upstreamModel: target.upstreamModel,
    providerId: readCacheName(remote),
    createdAtMs,
    expiresAtMs: readStatedTime(remote['expireTime']) ?? createdAtMs + CACHE_LIFE_MS,
    pollAtMs: undefined,
    detail: { type: 'cached-content', shown, uri: undefined },
  })
  return shown
}

function readModel(body: BodyBytes, bytes: Buffer): JsonSpan {
  if (!body.inspection.isUtf8 || !isJsonObject(tryParseJson(bytes.toString('utf8'))))
    throw new GatewayError(body.length === 0 ? 'body_not_object' : 'invalid_json')
  const model = membersOf(bytes, { start: 0, end: bytes.length }).get('model')
  if (stringOf(bytes, model) === undefined || model === undefined)
    throw new GatewayError('missing_field', { param: 'model', message: 'The field "model" is missing.' })
  return model
}

/**
 * The account that stores the files of the content, or otherwise the first account of the channel with the highest
 * priority.
 */
function chooseOwner(
  { request: { caller }, catalog, providers }: ObjectCall,
  publicName: string,
  { holder }: ReferredObjects,
): FoundOwner {
  const route = permits(caller.permission, publicName) ? catalog.current().findRoute(publicName) : undefined
  if (route === undefined) throw modelNotFound(publicName)
  const canCache = ({ channel }: Target) =>
    channel.format === 'gemini' &&
    providers.find(channel.provider)?.endpoints?.geminiFiles === true &&
    (holder === undefined || channel.name === holder.channelName)
  const [target] = route.targets
    .filter(canCache)
    .toSorted((one, other) => other.channel.priority - one.channel.priority)
  const provider = target && providers.find(target.channel.provider)
  const { credentials = [] } = target?.channel ?? {}
  const credential =
    holder === undefined ? credentials[0] : credentials.find(({ id }) => id === holder.credentialId)
  if (target === undefined || provider === undefined)
    throw new GatewayError('operation_not_supported', {
      param: 'model',
      message: `No channel of the model ${JSON.stringify(publicName)} can cache this content.`,
    })
  return {
    candidate: { target, credential, publicName, operation: 'conversation', isProbe: false },
    provider,
  }
}

/** Refuses a key with a limit in money. Storage is billed by the hour and has no known price, so it cannot be held. */
function refuseMoneyLimit({ request: { caller }, spending }: ObjectCall, { candidate }: FoundOwner): void {
  const { publicName, target } = candidate
  const channel = target.channel.name
  const budgets = spending.findBudgets({ caller, tags: caller.tags, model: publicName, channel })
  if (spending.findRefusal({ budgets, price: undefined, needsIntent: false }) !== 'unpriced') return
  throw new GatewayError('model_unpriced', {
    param: 'model',
    message:
      'The storage of cached content has no price here, so that a key with a limit in money can neither create it nor change its life.',
  })
}

function readCacheName({ name }: JsonObject): string {
  if (typeof name === 'string' && /^cachedContents\/[\w-]{1,128}$/.test(name)) return name
  throw badAnswer('the cached content has no name')
}

type CacheQuestion = { readonly method: 'GET' } | { readonly method: 'PATCH'; readonly body: JsonObject }

async function askCache(call: ObjectCall, id: string, question: CacheQuestion): Promise<JsonObject> {
  const cache = await findObject(call, 'cached-content', id)
  const { detail } = cache
  if (detail.type !== 'cached-content') throw badAnswer('it is no cached content')
  const { method } = question
  const mask = method === 'PATCH' ? new URLSearchParams(call.request.query).get('updateMask') : null
  const path = `/${cache.providerId}${mask === null ? '' : `?updateMask=${encodeURIComponent(mask)}`}`
  const owner = ownerOf(cache, call)
  if (method === 'PATCH') refuseMoneyLimit(call, owner)
  const ask = { owner, path, ...question, timeoutMs: SMALL_ANSWER_MS }
  const remote = await askProvider(ask, call)
  const { target } = owner.candidate
  call.attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  const shown = showCachedContent(remote, cache)
  const expiresAtMs = readStatedTime(remote['expireTime']) ?? cache.expiresAtMs
  await call.remoteObjects.update({ ...cache, expiresAtMs, detail: { ...detail, shown } })
  return shown
}

/** The changes of cached content that are passed on. Only its lifetime can be changed. */
function readChange({ request: { body } }: ObjectCall): JsonObject {
  const value = tryParseJson(body.text())
  if (!isJsonObject(value)) throw new GatewayError('body_not_object')
  const { ttl, expireTime, expire_time: otherSpelling } = value
  const time = expireTime ?? otherSpelling
  if (ttl === undefined && time === undefined)
    throw new GatewayError('missing_field', {
      param: 'ttl',
      message: 'Only the life of cached content can be changed: send "ttl" or "expireTime".',
    })
  return { ...(ttl !== undefined && { ttl }), ...(time !== undefined && { expireTime: time }) }
}

async function deleteCache(call: ObjectCall, id: string): Promise<JsonObject> {
  const cache = await findObject(call, 'cached-content', id)
  const owner = ownerOf(cache, call)
  try {
    const ask = { owner, method: 'DELETE', path: `/${cache.providerId}`, timeoutMs: SMALL_ANSWER_MS } as const
    await askProvider(ask, call)
  } catch (error) {
    if (!(error instanceof GatewayError) || error.failure.upstream?.status !== 404) throw error
  }
  await call.remoteObjects.delete(cache.keyId, cache.id)
  return {}
}
