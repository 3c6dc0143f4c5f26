import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type DraftView, draftSummarySchema } from '../../../../src/admin/drafts/draft-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SegmentedChoice } from '../../ui/segmented-choice.tsx'
import { Banner } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'

type Side = 'draft' | 'newest'

/** Lists the objects that newer versions changed as well, and asks which change to keep. */
export function DraftConflicts({ draft }: { readonly draft: DraftView }) {
  const manages = useMay('POST /drafts')
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({})
  const { conflicts } = draft
  const sideOf = (conflict: DraftView['conflicts'][number]) => chosen[keyOf(conflict)] ?? 'draft'
  const choices = conflicts.map((conflict) => ({
    kind: conflict.kind,
    name: conflict.name,
    stays: sideOf(conflict),
  }))
  const update = useUpdate(draft.id)
  return (
    <Card>
      <Banner
        tone="warn"
        action={
          manages && (
            <Button isSmall isBusy={update.isPending} onClick={() => update.mutate(choices)}>
              {t('drafts.update')}
            </Button>
          )
        }
      >
        {t('drafts.outdated.why')}
      </Banner>
      {conflicts.length > 0 && (
        <div className="mt-3 space-y-2">
          <p>{t('drafts.conflict')}</p>
          {conflicts.map((conflict) => (
            <div key={keyOf(conflict)} className="flex flex-wrap items-center justify-between gap-2">
              <span className="min-w-0 break-words">
                {t(`kind.${conflict.kind}`)} <strong>{conflict.name}</strong>
              </span>
              <SegmentedChoice<Side>
                label={conflict.name}
                value={sideOf(conflict)}
                choices={[
                  ['draft', t('drafts.conflict.draft')],
                  ['newest', t('drafts.conflict.newest')],
                ]}
                onChange={(side) => setChosen({ ...chosen, [keyOf(conflict)]: side })}
              />
            </div>
          ))}
        </div>
      )}
    </Card>
  )
}

function keyOf({ kind, name }: DraftView['conflicts'][number]): string {
  return `${kind} ${name}`
}

function useUpdate(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (choices: readonly object[]) =>
      callApi({
        method: 'POST',
        path: `/drafts/${encodeURIComponent(id)}/rebase`,
        body: { choices },
        answer: draftSummarySchema,
      }),
    async onSuccess({ base_version: version }) {
      await client.invalidateQueries({ queryKey: ['drafts'] })
      showToast(t('drafts.updated', { version: String(version) }))
    },
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
}
