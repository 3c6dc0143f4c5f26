import type { FieldOwner } from './format.ts'

/** Tiers of service that more than one format tells of. `standard` is the usual one. */
export const commonTiers = ['auto', 'standard', 'flex', 'priority', 'scale', 'fast'] as const
export type CommonTier = (typeof commonTiers)[number]

/** At which tier a provider served an answer; what only one format tells of is that format's word. */
export type ServedTier = CommonTier | { readonly format: FieldOwner; readonly word: string }
