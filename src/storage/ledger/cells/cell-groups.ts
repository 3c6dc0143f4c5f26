import type { SubjectDimension, UsageQuery } from '../../../metering/usage-query.ts'
import { SubjectFilter } from '../rows/subject-filter.ts'
import type { SubjectIndex } from '../rows/subject-index.ts'
import type { SubjectField } from '../rows/subject-row.ts'
import { isTimeDimension } from './usage-buckets.ts'

const fieldOf: Readonly<Record<SubjectDimension, SubjectField>> = {
  key: 'key_id',
  user: 'user_id',
  group: 'group_name',
  model: 'model',
  upstream_model: 'upstream_model',
  channel: 'channel',
}

const TAG = 'tag:'

/** Numbers each pair of two small numbers, in order of first use. */
class PairNumbers {
  readonly #numbers = new Map<number, number>()
  readonly pairs: (readonly [number, number])[] = []

  numberOf(left: number, right: number): number {
    const key = left * 2 ** 26 + right
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.pairs.push([left, right]) - 1
    this.#numbers.set(key, number)
    return number
  }
}

/** Finds the report group that a cell belongs to. */
export class CellGroups {
  readonly #query: UsageQuery
  readonly #index: SubjectIndex
  readonly #filter: SubjectFilter
  readonly #fields: readonly SubjectField[]
  readonly #tagNames: readonly string[]
  readonly #hasTags: boolean
  /**
   * The state of each subject by its ID. 0 means undecided, a negative number means no group, and a positive number
   * is the group's number plus one.
   */
  readonly #bySubject: Int32Array
  readonly #byTags = new Map<number, number>()
  /**
   * The last tags that were seen for each subject, by its ID; `#lastGroups` has their group. Most subjects always
   * have the same tags.
   */
  readonly #lastTags: Float64Array
  readonly #lastGroups: Int32Array
  /**
   * One numbering for each field. It numbers pairs of the group formed by the earlier fields and the name in this
   * field.
   */
  readonly #levels: readonly PairNumbers[]
  readonly #tagNumbers = new Map<string, number>()
  readonly #tagValues: (readonly (string | null)[])[] = []
  readonly #groups = new PairNumbers()

  constructor(query: UsageQuery, index: SubjectIndex) {
    this.#query = query
    this.#index = index
    this.#filter = new SubjectFilter(index, query.filter)
    const subjectDimensions = query.by.filter((by) => !isTimeDimension(by) && !isTag(by))
    this.#fields = subjectDimensions.map((by) => fieldOf[by])
    this.#levels = this.#fields.map(() => new PairNumbers())
    this.#tagNames = query.by.flatMap((by) => (isTag(by) ? [by.slice(TAG.length)] : []))
    this.#hasTags = this.#tagNames.length > 0 || Object.keys(query.filter.tags ?? {}).length > 0
    this.#bySubject = new Int32Array(index.lastId + 1)
    this.#lastTags = new Float64Array(this.#hasTags ? index.lastId + 1 : 0).fill(-1)
    this.#lastGroups = new Int32Array(this.#lastTags.length)
  }

  /** The number of the group; negative where the subject is in no group. */
  groupOf(subject: number, tags: number): number {
    const known = this.#bySubject[subject] ?? -1
    const ofSubject = known === 0 ? this.#decideSubject(subject) : known - 1
    if (ofSubject < 0 || !this.#hasTags) return ofSubject
    if (this.#lastTags[subject] === tags) return this.#lastGroups[subject] ?? -1
    const ofTags = this.#byTags.get(tags) ?? this.#decideTags(tags)
    const group = ofTags < 0 ? -1 : this.#groups.numberOf(ofSubject, ofTags)
    this.#lastTags[subject] = tags
    this.#lastGroups[subject] = group
    return group
  }

  /** The names that a report shows for the group, with null in place of a time. */
  namesOf(group: number): (string | null)[] {
    const [ofSubject, ofTags] = this.#hasTags ? (this.#groups.pairs[group] ?? [0, 0]) : [group, 0]
    const fields = this.#fieldNames(ofSubject)
    const values = [...(this.#tagValues[ofTags] ?? [])]
    return this.#query.by.map((by) => {
      if (isTimeDimension(by)) return null
      return (isTag(by) ? values.shift() : fields.shift()) ?? null
    })
  }

  #decideSubject(subject: number): number {
    let group = -1
    if (this.#filter.fitsSubject(subject)) {
      group = 0
      for (const [level, field] of this.#fields.entries())
        group = this.#levels[level]?.numberOf(group, this.#index.nameIdOf(subject, field)) ?? 0
    }
    this.#bySubject[subject] = group < 0 ? group : group + 1
    return group
  }

  #decideTags(id: number): number {
    let group = -1
    if (this.#filter.fitsTags(id)) {
      const tags = this.#index.tagsOf(id)
      const values = this.#tagNames.map((name) => (Object.hasOwn(tags, name) ? (tags[name] ?? null) : null))
      const text = JSON.stringify(values)
      group = this.#tagNumbers.get(text) ?? this.#tagValues.push(values) - 1
      this.#tagNumbers.set(text, group)
    }
    this.#byTags.set(id, group)
    return group
  }

  #fieldNames(group: number): (string | null)[] {
    const names: (string | null)[] = []
    let number = group
    for (const level of this.#levels.toReversed()) {
      const [before, name] = level.pairs[number] ?? [0, 0]
      names.unshift(this.#index.nameOf(name) || null)
      number = before
    }
    return names
  }
}

function isTag(by: string): by is `tag:${string}` {
  return by.startsWith(TAG)
}
