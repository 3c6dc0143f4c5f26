import { z } from 'zod'
import type { GroupView } from '../../../../src/admin/groups/group-contract.ts'
import {
  draftLimits,
  emptyLimits,
  type LimitsDraft,
  limitsDraftFields,
  patchLimits,
  readLimits,
  writeLimits,
} from '../../budgets/written-limits.ts'
import { writePatch } from '../../changes/write-patch.ts'
import { readAmount } from '../../forms/read-amount.ts'
import { writeAmount } from '../../forms/write-amount.ts'
import { t } from '../../language/language.ts'

// A type and not an interface, since a form holds values by any name.
export type GroupDraft = LimitsDraft & {
  readonly name: string
  readonly models: readonly string[]
  readonly multiplier: string
  readonly passthrough: readonly string[]
}

export const emptyGroup: GroupDraft = {
  name: '',
  models: [],
  multiplier: '',
  passthrough: [],
  ...emptyLimits,
}

/** The parts of a group that the form shows besides its limits, in the syntax of the configuration. */
const writtenGroupSchema = z.object({
  models: z.array(z.string()).optional(),
  multiplier: z.number().optional(),
  passthrough: z.array(z.string()).optional(),
})

export function draftGroup(group: GroupView): GroupDraft {
  const { models = [], multiplier, passthrough = [] } = readGroup(group)
  return {
    name: group.name,
    models,
    multiplier: multiplier === undefined ? '' : writeAmount(multiplier),
    passthrough,
    ...draftLimits(group),
  }
}

export function readGroup(group: GroupView) {
  const read = writtenGroupSchema.safeParse(group)
  return { ...(read.success ? read.data : {}), ...readLimits(group) }
}

export function groupDraftSchema() {
  return z.object({
    name: z
      .string()
      .trim()
      .min(1, { error: t('form.required') }),
    models: z.array(z.string()),
    multiplier: z
      .string()
      .refine((text) => text.trim() === '' || readAmount(text) >= 0, { error: t('form.number') }),
    passthrough: z.array(z.string()),
    ...limitsDraftFields(),
  })
}

/** A new group in the syntax of the configuration. */
export function writeGroup(draft: GroupDraft) {
  const written = { ...writeFields(draft), ...writeLimits(draft) }
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== null))
}

/** The changed fields of a group as a merge patch. */
export function patchGroup(initial: GroupDraft, draft: GroupDraft, group: GroupView) {
  return { ...writePatch(writeFields(initial), writeFields(draft)), ...patchLimits(initial, draft, group) }
}

function writeFields({ models, multiplier, passthrough }: GroupDraft) {
  return {
    models: models.length === 0 ? null : models,
    multiplier: multiplier.trim() === '' ? null : readAmount(multiplier),
    passthrough: passthrough.length === 0 ? null : passthrough,
  }
}
