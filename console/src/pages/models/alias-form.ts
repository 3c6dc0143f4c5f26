import { z } from 'zod'
import type { ObjectView } from '../../../../src/admin/config/config-contract.ts'
import { writePatch } from '../../changes/write-patch.ts'
import { amountOf } from '../../forms/amounts.ts'
import { readAmount } from '../../forms/read-amount.ts'
import { writeAmount } from '../../forms/write-amount.ts'
import { t } from '../../language/language.ts'

export const strategies = ['priority-weighted', 'least-latency', 'least-busy', 'cheapest'] as const

/** A public name with its settings, as typed into the form. */
export type AliasDraft = {
  readonly name: string
  readonly targets: readonly string[]
  readonly fallback: readonly string[]
  readonly strategy: string
  readonly display_name: string
  readonly description: string
  readonly input: string
  readonly output: string
}

export const emptyAlias: AliasDraft = {
  name: '',
  targets: [],
  fallback: [],
  strategy: '',
  display_name: '',
  description: '',
  input: '',
  output: '',
}

const rates = z.object({ input: z.number(), output: z.number() }).partial()
const objectSchema = z.object({
  targets: z
    .array(z.union([z.string(), z.object({ use: z.string(), weight: z.number().optional() })]))
    .catch([]),
  fallback: z.array(z.string()).catch([]),
  strategy: z.string().catch(''),
  display_name: z.string().catch(''),
  description: z.string().catch(''),
  price: rates.loose().optional().catch(undefined),
})

export function readAlias(view: ObjectView): AliasDraft {
  const { targets, price, ...texts } = objectSchema.parse(view)
  return {
    ...texts,
    name: view.name,
    targets: targets.map((target) => (typeof target === 'string' ? target : writeTargetWord(target))),
    input: price?.input === undefined ? '' : writeAmount(price.input),
    output: price?.output === undefined ? '' : writeAmount(price.output),
  }
}

function writeTargetWord({ use, weight }: { readonly use: string; readonly weight?: number | undefined }) {
  return weight === undefined ? use : `${use}=${weight}`
}

export function aliasSchema() {
  const rate = z.string().refine((text) => text.trim() === '' || readAmount(text) >= 0, {
    error: t('form.number'),
  })
  return z
    .object({
      name: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
      targets: z.array(z.string().regex(/^[^/]+\/.+$/, { error: t('models.targets.rule') })),
      fallback: z.array(z.string()),
      strategy: z.string(),
      display_name: z.string(),
      description: z.string(),
      input: rate,
      output: rate,
    })
    .superRefine(({ input, output }, context) => {
      const missing = input.trim() === '' ? 'input' : 'output'
      if ((input.trim() === '') === (output.trim() === '')) return
      context.addIssue({ code: 'custom', path: [missing], message: t('models.price.both') })
    })
}

/** The changed fields in the syntax of the configuration. Null removes a field. */
export function diffAlias(before: AliasDraft, after: AliasDraft): Readonly<Record<string, unknown>> {
  return writePatch(writeAlias(before), writeAlias(after))
}

export function writeAlias(draft: AliasDraft): Readonly<Record<string, unknown>> {
  const { targets, fallback, strategy } = draft
  const [input, output] = [amountOf(draft.input), amountOf(draft.output)]
  const fields = {
    name: draft.name.trim(),
    targets: targets.length === 0 ? undefined : targets.map(readTargetWord),
    fallback: fallback.length === 0 ? undefined : fallback,
    strategy: strategy || undefined,
    display_name: draft.display_name.trim() || undefined,
    description: draft.description.trim() || undefined,
    price: input === undefined || output === undefined ? undefined : { input, output },
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** The typed targets that no channel serves, without their weights. */
export function findUnserved(words: readonly string[], served: readonly string[]): readonly string[] {
  const uses = words.map(readTargetWord).map((target) => (typeof target === 'string' ? target : target.use))
  return uses.filter((use) => !served.includes(use))
}

/** Parses `channel/model`, or `channel/model=3` with a weight. */
function readTargetWord(word: string) {
  const [, use, weight] = /^(.+)=(\d+(?:\.\d+)?)$/.exec(word) ?? []
  return use === undefined || weight === undefined ? word : { use, weight: Number(weight) }
}
