import type { FieldOwner } from './format.ts'

/** Service tiers that more than one format has. `standard` is the default tier. */
export const commonTiers = ['auto', 'standard', 'flex', 'priority', 'scale', 'fast'] as const
export type CommonTier = (typeof commonTiers)[number]

/** The tier at which a provider served an answer. A tier that only one format has keeps that format's name. */
export type ServedTier = CommonTier | { readonly format: FieldOwner; readonly word: string }
