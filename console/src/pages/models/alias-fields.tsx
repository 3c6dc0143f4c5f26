import { useQuery } from '@tanstack/react-query'
import { NumberInput, SelectInput, TextArea, TextInput } from '../../forms/inputs.tsx'
import type { Form } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { t } from '../../language/language.ts'
import { type AliasDraft, findUnserved, strategies } from './alias-form.ts'
import { graphQuery } from './model-queries.ts'
import { writeTarget } from './plan-graph.ts'

/** The fields of a public name's settings in the configuration. */
export function AliasFields({ form }: { readonly form: Form<AliasDraft> }) {
  const { data } = useQuery(graphQuery({ q: undefined, channel: undefined }))
  const models = data?.rows ?? []
  const targets = [...new Set(models.flatMap((model) => (model.targets ?? []).map(writeTarget)))]
  // An incomplete list cannot prove that no channel serves a target.
  const unserved = data?.isComplete === true ? findUnserved(form.values.targets, targets) : []
  return (
    <>
      <WordsInput
        field={form.bind('targets')}
        warning={
          unserved.length === 0 ? undefined : t('models.targets.unserved', { targets: unserved.join(', ') })
        }
        label={t('models.targets')}
        suggestions={targets}
        placeholder="openai/gpt-4o"
        hint={t('models.targets.hint')}
        isOptional
      />
      <WordsInput
        field={form.bind('fallback')}
        label={t('models.fallbacks')}
        suggestions={models.map(({ name }) => name)}
        hint={t('models.fallbacks.hint')}
        isOptional
      />
      <SelectInput
        field={form.bind('strategy')}
        label={t('models.strategy')}
        hint={t('models.strategy.hint')}
        choices={[
          { value: '', label: t('models.strategy.default') },
          ...strategies.map((value) => ({ value, label: t(`models.strategy.${value}`) })),
        ]}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberInput field={form.bind('input')} label={t('models.price.input')} unit="USD" isOptional />
        <NumberInput field={form.bind('output')} label={t('models.price.output')} unit="USD" isOptional />
      </div>
      <p className="-mt-2 text-[0.8125rem] text-muted">{t('models.price.hint')}</p>
      <TextInput field={form.bind('display_name')} label={t('models.display_name')} isOptional />
      <TextArea field={form.bind('description')} label={t('models.about')} rows={2} isOptional />
    </>
  )
}
