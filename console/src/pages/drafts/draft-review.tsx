import { useQuery } from '@tanstack/react-query'
import type { DraftView } from '../../../../src/admin/drafts/draft-contract.ts'
import { writeProblem } from '../../api/write-problem.ts'
import { EffectList } from '../../changes/effect-list.tsx'
import { draftQuery } from '../../changes/open-draft.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Card, DetailList } from '../../ui/card.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, TimeText } from '../../ui/text.tsx'
import { DraftActions } from './draft-actions.tsx'
import { DraftConflicts } from './draft-conflicts.tsx'
import { DraftDiff } from './draft-diff.tsx'

/** Shows the changes and effects of a draft, and the actions on it. */
export function DraftReview({ id }: { readonly id: string }) {
  const draft = useQuery(draftQuery(id))
  if (draft.isPending) return <Skeleton rows={8} />
  if (draft.isError) return <ErrorState error={draft.error} onRetry={() => void draft.refetch()} />
  return <Review draft={draft.data} />
}

function Review({ draft }: { readonly draft: DraftView }) {
  const manages = useMay('POST /drafts')
  return (
    <div className="min-w-0 space-y-4">
      <Card title={draft.name}>
        <DraftFacts draft={draft} />
        {manages && <DraftActions draft={draft} />}
      </Card>
      {draft.outdated && <DraftConflicts draft={draft} />}
      {!draft.ok && <Problems draft={draft} />}
      {draft.ok && (
        <Card title={t('effect.title')}>
          <EffectList {...draft} />
        </Card>
      )}
      <Card title={t('drafts.diff')}>
        <DraftDiff id={draft.id} diff={draft.diff} manages={manages} />
      </Card>
    </div>
  )
}

function DraftFacts({ draft }: { readonly draft: DraftView }) {
  return (
    <DetailList
      columns={2}
      rows={[
        [t('drafts.author'), writeAuthor({ author: draft.author_fact })],
        [t('drafts.base'), String(draft.base_version)],
        [t('drafts.changed_at'), <TimeText key="changed" at={draft.changed_at} />],
        [t('drafts.expires'), <TimeText key="expires" at={draft.expires_at} />],
        [t('drafts.comment'), draft.comment ?? <Absent key="comment" />],
      ]}
    />
  )
}

function Problems({ draft: { problems } }: { readonly draft: DraftView }) {
  return (
    <Banner tone="bad">
      <p>{t('drafts.problems')}</p>
      <ul className="mt-1 list-disc pl-5">
        {problems.map((problem) => (
          <li key={`${problem.path} ${problem.message}`}>
            <code>{problem.path}</code> {writeProblem(problem)}
          </li>
        ))}
      </ul>
    </Banner>
  )
}
