import { NumberInput } from '../forms/inputs.tsx'
import type { Binding } from '../forms/use-form.ts'
import { t } from '../language/language.ts'
import type { RateDraft } from './budget-drafts.ts'

interface RateInputsProps {
  readonly field: Binding<RateDraft>
  readonly errors: Readonly<Record<string, string>>
}

const rateNames = ['rpm', 'tpm', 'concurrency'] as const

/** The rate limits: requests and tokens per minute, and concurrent requests. */
export function RateInputs({ field: { name, value, onChange }, errors }: RateInputsProps) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{t('rate.title')}</legend>
      <div className="grid gap-3 sm:grid-cols-3">
        {rateNames.map((rate) => (
          <NumberInput
            key={rate}
            label={t(`rate.${rate}`)}
            placeholder={t('rate.none')}
            field={{
              name: `${name}.${rate}`,
              value: value[rate],
              error: errors[`${name}.${rate}`],
              onChange: (text) => onChange({ ...value, [rate]: text }),
            }}
          />
        ))}
      </div>
    </fieldset>
  )
}
