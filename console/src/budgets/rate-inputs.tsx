import { NumberInput } from '../forms/inputs.tsx'
import type { Binding } from '../forms/use-form.ts'
import { t } from '../language/language.ts'
import type { RateDraft } from './budget-drafts.ts'

interface RateInputsProps {
  readonly field: Binding<RateDraft>
  readonly errors: Readonly<Record<string, string>>
}

const limits = ['rpm', 'tpm', 'concurrency'] as const

/** The rate limits: requests and tokens per minute, and concurrent requests. */
export function RateInputs({ field: { name, value, onChange }, errors }: RateInputsProps) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{t('rate.title')}</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {limits.map((limit) => (
          <NumberInput
            key={limit}
            label={t(`rate.${limit}`)}
            placeholder={t('rate.none')}
            field={{
              name: `${name}.${limit}`,
              value: value[limit],
              error: errors[`${name}.${limit}`],
              onChange: (text) => onChange({ ...value, [limit]: text }),
            }}
          />
        ))}
      </div>
    </fieldset>
  )
}
