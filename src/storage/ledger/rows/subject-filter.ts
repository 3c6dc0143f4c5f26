import type { RowFilter } from '../../../metering/ledger-reader.ts'
import type { UsageFilter } from '../../../metering/usage-query.ts'
import { stateCodes } from '../ledger-tables.ts'
import type { SubjectIndex } from './subject-index.ts'
import type { SubjectField } from './subject-row.ts'

/** Whether a filter has any condition on the subject of a row: key, user, group, model, channel or tags. */
export function hasSubjectFilter(filter: UsageFilter): boolean {
  const { key, keyIds, ownedBy, user, group, model, upstreamModel, channel, tags = {} } = filter
  const parts = [key, keyIds, ownedBy, user, group, model, upstreamModel, channel]
  return parts.some((part) => part !== undefined) || Object.keys(tags).length > 0
}

/** Whether a row has the requested state and ended within the time span. */
export function fitsRow(
  state: unknown,
  endedAtMs: number,
  { state: wanted, sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY }: RowFilter,
): boolean {
  if (wanted !== undefined && state !== stateCodes[wanted]) return false
  return endedAtMs >= sinceMs && endedAtMs < untilMs
}

/** The numbers of the names; undefined for a user that no subject names. */
interface Owners {
  readonly user: number | undefined
  readonly groups: ReadonlySet<number>
}

/** Decides which subjects and sets of tags a report includes, at most once for each. */
export class SubjectFilter {
  readonly #index: SubjectIndex
  /**
   * The number of the name that each field must have. Undefined if no subject has that name, so that nothing matches.
   */
  readonly #wanted: readonly (readonly [SubjectField, number | undefined])[]
  readonly #key: number | undefined
  readonly #hasKey: boolean
  /** The numbers of key names, one of which a subject must have; undefined for any key. */
  readonly #keyIds: ReadonlySet<number> | undefined
  readonly #owners: Owners | undefined
  readonly #tags: readonly (readonly [string, string])[]
  readonly #decided: Int8Array
  readonly #decidedTags = new Map<number, boolean>()

  constructor(index: SubjectIndex, filter: UsageFilter) {
    this.#index = index
    this.#hasKey = filter.key !== undefined
    this.#key = filter.key === undefined ? undefined : index.findName(filter.key)
    this.#keyIds = filter.keyIds && findNames(index, filter.keyIds)
    this.#owners = filter.ownedBy && {
      user: index.findName(filter.ownedBy.user),
      groups: findNames(index, filter.ownedBy.groups),
    }
    const fields = [
      ['user_id', filter.user],
      ['group_name', filter.group],
      ['model', filter.model],
      ['upstream_model', filter.upstreamModel],
      ['channel', filter.channel],
    ] as const
    this.#wanted = fields.flatMap(([field, name]) =>
      name === undefined ? [] : [[field, index.findName(name)] as const],
    )
    this.#tags = Object.entries(filter.tags ?? {})
    this.#decided = new Int8Array(index.lastId + 1)
  }

  fits(subject: number, tags: number): boolean {
    return this.fitsSubject(subject) && this.fitsTags(tags)
  }

  fitsSubject(subject: number): boolean {
    const decided = this.#decided[subject]
    if (decided !== undefined && decided !== 0) return decided > 0
    const isFit = this.#decide(subject)
    this.#decided[subject] = isFit ? 1 : -1
    return isFit
  }

  fitsTags(id: number): boolean {
    if (this.#tags.length === 0) return true
    const decided = this.#decidedTags.get(id)
    if (decided !== undefined) return decided
    const has = this.#index.tagsOf(id)
    const isFit = this.#tags.every(([name, value]) => Object.hasOwn(has, name) && has[name] === value)
    this.#decidedTags.set(id, isFit)
    return isFit
  }

  #decide(subject: number): boolean {
    if (subject < 1 || subject > this.#index.lastId) return false
    if (this.#hasKey && !this.#isKey(subject)) return false
    if (this.#keyIds?.has(this.#index.nameIdOf(subject, 'key_id')) === false) return false
    if (this.#owners !== undefined && !this.#isOwned(subject, this.#owners)) return false
    return this.#wanted.every(([field, name]) => this.#index.nameIdOf(subject, field) === name)
  }

  #isOwned(subject: number, { user, groups }: Owners): boolean {
    if (user !== undefined && this.#index.nameIdOf(subject, 'user_id') === user) return true
    return groups.has(this.#index.nameIdOf(subject, 'group_name'))
  }

  #isKey(subject: number): boolean {
    const names = [this.#index.nameIdOf(subject, 'key_id'), this.#index.nameIdOf(subject, 'key_name')]
    return this.#key !== undefined && names.includes(this.#key)
  }
}

function findNames(index: SubjectIndex, names: readonly string[]): ReadonlySet<number> {
  return new Set(names.flatMap((name) => index.findName(name) ?? []))
}
