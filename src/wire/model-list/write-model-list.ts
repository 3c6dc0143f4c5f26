import { GatewayError } from '../../canonical/failure.ts'
import { unreachable } from '../../kit/errors/unreachable.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import type { ListedModel, ModelListStyle } from './listed-model.ts'
import { writeModel } from './write-model.ts'

/** Default page size of the messages style (Anthropic API reference, seen 2026-11-20). */
const DEFAULT_LIMIT = 20

const MAX_LIMIT = 1_000

/** Default and maximum page size of the Gemini style (https://ai.google.dev/api/models, seen 2026-12-01). */
const DEFAULT_PAGE_SIZE = 50

const MAX_PAGE_SIZE = 1_000

/** Writes a list in the form of a client family. Throws `invalid_field` where the query asks for an invalid page. */
export function writeModelList(
  models: readonly ListedModel[],
  style: ModelListStyle,
  query: URLSearchParams,
): JsonObject {
  switch (style) {
    case 'chat':
      return { object: 'list', data: models.map((model) => writeModel(model, style)) }
    case 'messages':
      return writePage(models, query)
    case 'gemini':
      return writeGeminiPage(models, query)
    default:
      return unreachable(style)
  }
}

function writePage(models: readonly ListedModel[], query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get('limit'))
  const afterId = query.get('after_id')
  const beforeId = query.get('before_id')
  if (afterId !== null && beforeId !== null) {
    throw new GatewayError('invalid_field', {
      param: 'after_id',
      message: 'Send after_id or before_id, not both.',
    })
  }
  const start = afterId === null ? 0 : positionOf(models, 'after_id', afterId) + 1
  const end = beforeId === null ? models.length : positionOf(models, 'before_id', beforeId)
  const page =
    beforeId === null ? models.slice(start, start + limit) : models.slice(Math.max(0, end - limit), end)
  return {
    data: page.map((model) => writeModel(model, 'messages')),
    has_more: beforeId === null ? start + limit < models.length : end > limit,
    first_id: page[0]?.name ?? null,
    last_id: page.at(-1)?.name ?? null,
  }
}

/** Writes a page. Its token, where more models follow, is the name of its last model. */
function writeGeminiPage(models: readonly ListedModel[], query: URLSearchParams): JsonObject {
  const size = readPageSize(query.get('pageSize'))
  const token = query.get('pageToken') ?? ''
  const start = token === '' ? 0 : positionOf(models, 'pageToken', token) + 1
  const page = models.slice(start, start + size)
  const last = start + size < models.length ? page.at(-1) : undefined
  return omitUndefined({
    models: page.map((model) => writeModel(model, 'gemini')),
    nextPageToken: last?.name,
  })
}

/** Google takes 0 for no page size, and a larger size than the maximum for the maximum. */
function readPageSize(text: string | null): number {
  const size = Number(text ?? DEFAULT_PAGE_SIZE)
  if (Number.isInteger(size) && size >= 0)
    return size === 0 ? DEFAULT_PAGE_SIZE : Math.min(size, MAX_PAGE_SIZE)
  throw new GatewayError('invalid_field', {
    param: 'pageSize',
    message: 'The query parameter "pageSize" must be a whole number from 0.',
  })
}

function positionOf(models: readonly ListedModel[], param: string, name: string): number {
  const position = models.findIndex((model) => model.name === name)
  if (position !== -1) return position
  const message =
    param === 'pageToken'
      ? 'No page of the list of models has this pageToken. Ask for the first page, without a pageToken.'
      : `There is no model with the id given as ${param}.`
  throw new GatewayError('invalid_field', { param, message })
}

function readLimit(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit
  throw new GatewayError('invalid_field', {
    param: 'limit',
    message: `The query parameter "limit" must be a whole number from 1 to ${MAX_LIMIT}.`,
  })
}

export interface StyleSource {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly hasQueryKey: boolean
}

/** Chooses the list style of the requesting client family, by the headers and query that it always sends. */
export function chooseStyle({ headers, hasQueryKey }: StyleSource): ModelListStyle {
  if (headers['anthropic-version'] !== undefined) return 'messages'
  if (headers['x-goog-api-key'] !== undefined || hasQueryKey) return 'gemini'
  return 'chat'
}
