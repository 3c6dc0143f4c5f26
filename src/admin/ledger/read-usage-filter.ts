import type { GatewayError } from '../../canonical/failure.ts'
import { refuse } from '../../canonical/refusal.ts'
import { type Tags, tagName, tagValue } from '../../canonical/tags.ts'
import { tryDecodeUri } from '../../kit/bytes/try-decode-uri.ts'
import type { UsageFilter } from '../../metering/usage-query.ts'

const MAX_TAGS = 16

export interface UsageFilterParams {
  readonly key?: string | undefined
  readonly user?: string | undefined
  readonly group?: string | undefined
  readonly model?: string | undefined
  readonly upstream_model?: string | undefined
  readonly channel?: string | undefined
  readonly tags?: string | undefined
}

export function readUsageFilter(params: UsageFilterParams): UsageFilter {
  const { key, user, group, model, upstream_model: upstreamModel, channel, tags } = params
  const filter = { key, user, group, model, upstreamModel, channel }
  return tags === undefined ? filter : { ...filter, tags: readTags(tags) }
}

/** `team=search,feature=chat`, as in the header `x-headgate-tags`. */
function readTags(text: string): Tags {
  const items = text.split(',').filter((item) => item.trim() !== '')
  if (items.length > MAX_TAGS) throw refusedTags(`names more than ${MAX_TAGS} tags`)
  const tags = new Map<string, string>()
  for (const [name, value] of items.map(readTag)) {
    if (tags.has(name)) throw refusedTags(`names "${name}" twice`)
    tags.set(name, value)
  }
  return Object.fromEntries(tags)
}

function readTag(item: string): readonly [string, string] {
  const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(item) ?? []
  const decoded = tryDecodeUri(value.trim())
  if (!tagName.test(name) || decoded === undefined || !tagValue.test(decoded))
    throw refusedTags('must be names and values such as team=search, separated by commas')
  return [name, decoded]
}

function refusedTags(what: string): GatewayError {
  return refuse('invalid_field', {
    param: 'tags',
    message: `"tags" ${what}.`,
    fact: { code: 'wrong_format', values: { format: 'tag_list' } },
  })
}
