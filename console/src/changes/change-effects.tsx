import { useQuery } from '@tanstack/react-query'
import { changePreviewSchema } from '../../../src/admin/config/config-contract.ts'
import { callApi } from '../api/call-api.ts'
import { explainError } from '../api/describe-error.ts'
import { writeProblemAt } from '../api/write-problem.ts'
import { t } from '../language/language.ts'
import { Banner } from '../ui/states.tsx'
import { EffectList } from './effect-list.tsx'
import type { ObjectChange } from './open-draft.ts'

/** Shows what a change of one object would do, before it is made. */
export function ChangeEffects({ change }: { readonly change: ObjectChange }) {
  const preview = useQuery({
    queryKey: ['config', 'preview', change],
    queryFn: ({ signal }) =>
      callApi({
        method: 'POST',
        path: '/config/preview',
        body: change,
        answer: changePreviewSchema,
        signal,
      }),
    staleTime: 0,
    retry: false,
  })
  if (preview.isPending)
    return (
      <p role="status" className="text-muted">
        {t('effect.loading')}
      </p>
    )
  if (preview.isError) return <Banner tone="warn">{explainError(preview.error)}</Banner>
  return (
    <div className="space-y-2">
      {preview.data.problems.map((problem) => (
        <Banner key={problem.path} tone="warn">
          {writeProblemAt(problem)}
        </Banner>
      ))}
      {preview.data.ok && <EffectList {...preview.data} />}
    </div>
  )
}
