import { useMutation } from '@tanstack/react-query'
import { effectsSchema } from '../../../../src/admin/effects/effect-contract.ts'
import type { KeyView } from '../../../../src/admin/keys/key-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { EffectList } from '../../changes/effect-list.tsx'
import type { Form } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Banner } from '../../ui/states.tsx'
import { type KeyDraft, keyDraftSchema, writeKeyChange } from './key-form.ts'
import { keyPath } from './key-queries.ts'

interface KeyEffectsProps {
  readonly shown: KeyView
  readonly form: Pick<Form<KeyDraft>, 'initial' | 'values'>
}

/** Shows the effects of a change of a key on request. After another edit the user must ask again. */
export function KeyEffects({ shown, form: { initial, values } }: KeyEffectsProps) {
  const typed = keyDraftSchema().safeParse(values)
  const body = typed.success ? writeKeyChange(initial, typed.data, shown) : {}
  const bodyText = JSON.stringify(body)
  const preview = useMutation({
    mutationFn: () =>
      callApi({ method: 'POST', path: `${keyPath(shown.id)}/preview`, body, answer: effectsSchema }).then(
        (effects) => ({ bodyText, effects }),
      ),
  })
  if (Object.keys(body).length === 0) return null
  return (
    <div className="space-y-3">
      <Button isSmall icon="info" isBusy={preview.isPending} onClick={() => preview.mutate()}>
        {t('effect.title')}
      </Button>
      {preview.isError && <Banner tone="warn">{explainError(preview.error)}</Banner>}
      {preview.data?.bodyText === bodyText && <EffectList {...preview.data.effects} />}
    </div>
  )
}
