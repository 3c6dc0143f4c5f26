import { z } from 'zod'
import { readAmount } from '../forms/read-amount.ts'
import { t } from '../language/language.ts'
import type { FieldKind, SettingPlan } from './setting-plan.ts'
import { settingStates, type TypedField } from './setting-values.ts'

/** The validation rules by field. The gateway checks rules that involve several fields. */
export function settingValuesSchema({ fields }: SettingPlan) {
  const entries = fields.map(({ name, kind }) => [name, fieldSchema(kind)] as const)
  return z.object({ state: z.enum(settingStates), fields: z.object(Object.fromEntries(entries)) })
}

const HEADER_NAME = /^\s*[A-Za-z0-9!#$%&'*+.^_`|~-]*\s*$/

function fieldSchema(kind: FieldKind): z.ZodType<TypedField> {
  switch (kind.type) {
    case 'count':
      return typedText((text) => isCount(text, kind), countRule(kind))
    case 'number':
      return typedText(
        (text) => readAmount(text) > kind.above && readAmount(text) < kind.below,
        t('settings.rule.number', { above: kind.above, below: kind.below }),
      )
    case 'duration':
    case 'size':
      return typedText((text) => new RegExp(kind.pattern).test(text), t(`settings.rule.${kind.type}`))
    case 'choice':
    case 'lines':
    case 'secret':
    case 'text':
    case 'words':
      return z.string()
    case 'choices':
      return z.array(z.object({ name: z.string(), choice: z.string() }))
    case 'headers':
      return z.array(
        z.object({
          name: z.string().regex(HEADER_NAME, { error: t('settings.rule.header') }),
          choice: z.string(),
        }),
      )
  }
}

function typedText(isRight: (text: string) => boolean, error: string) {
  return z.string().refine((text) => text.trim() === '' || isRight(text.trim()), { error })
}

function isCount(text: string, { min, max }: { readonly min: number; readonly max: number }): boolean {
  const value = readAmount(text)
  return Number.isInteger(value) && value >= min && value <= max
}

function countRule({ min, max }: { readonly min: number; readonly max: number }): string {
  return max === Number.MAX_SAFE_INTEGER
    ? t('settings.rule.count_from', { min })
    : t('settings.rule.count', { min, max })
}
