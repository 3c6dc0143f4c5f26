import fc from 'fast-check'
import type { CacheMark } from '../../src/canonical/content.ts'
import type { Extras, FormatId } from '../../src/canonical/format.ts'
import type { LossFeature } from '../../src/canonical/loss.ts'
import { jsonArbitrary } from './value-arbitraries.ts'

/** The places where fields that only one format knows may stand. */
export type ExtrasSite = 'request' | 'turn' | 'block' | 'citation' | 'tool' | 'reply' | 'choice'

/** The options of generated values. By default they hold everything that the canonical form has. */
export interface ArbitraryOptions {
  /**
   * Values as a reader of this format would give them: extras, opaque blocks and hosted tools are of this format, and
   * what the format always or never says is there or not. Absent: no extras, and the union of all formats otherwise.
   */
  readonly format?: FormatId
  /** Features to leave out, those that a format declares it can lose, say. */
  readonly without?: readonly LossFeature[]
  /** The places of extras; everywhere by default. */
  readonly extrasAt?: readonly ExtrasSite[]
}

export function allows(options: ArbitraryOptions, feature: LossFeature): boolean {
  return !(options.without ?? []).includes(feature)
}

/** `{ [name]: arbitrary }` where allowed, else nothing: to be spread into a record's fields. */
export function fieldWhere<const Name extends string, Value>(
  isAllowed: boolean,
  name: Name,
  arbitrary: fc.Arbitrary<Value>,
): { [Key in Name]?: fc.Arbitrary<Value> } {
  const field: { [Key in Name]?: fc.Arbitrary<Value> } = {}
  if (isAllowed) field[name] = arbitrary
  return field
}

/** The `extras` field for a place: fields under names that no format knows. */
export function extrasField(
  options: ArbitraryOptions,
  position: ExtrasSite,
): { extras?: fc.Arbitrary<Extras> } {
  const { format, extrasAt } = options
  if (format === undefined || extrasAt?.includes(position) === false) return {}
  const extras = fc
    .dictionary(fc.constantFrom('x_note', 'x_flag', 'x_записка'), jsonArbitrary, {
      minKeys: 1,
      maxKeys: 2,
      noNullPrototype: true,
    })
    .map((fields): Extras => ({ format, fields }))
  return { extras }
}

/** Blocks of a reply have no cache marks; blocks of a request may. */
export type BlockSite = 'request' | 'reply'

export const cacheMarkArbitrary: fc.Arbitrary<CacheMark> = fc.record(
  { lifetime: fc.constantFrom('5m' as const, '1h' as const) },
  { requiredKeys: [], noNullPrototype: true },
)

export function blockExtras(options: ArbitraryOptions): ReturnType<typeof extrasField> {
  return extrasField(options, 'block')
}

export function cacheMarkField(
  options: ArbitraryOptions,
  position: BlockSite,
): { cache?: fc.Arbitrary<CacheMark> } {
  return fieldWhere(position === 'request' && allows(options, 'cache-mark'), 'cache', cacheMarkArbitrary)
}
