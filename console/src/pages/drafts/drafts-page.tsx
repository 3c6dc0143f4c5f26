import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { DraftSummary } from '../../../../src/admin/drafts/draft-contract.ts'
import { draftsQuery, openDraft, useOpenDraft } from '../../changes/open-draft.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { classNames } from '../../ui/class-names.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { DraftReview } from './draft-review.tsx'
import { NameDraftDialog } from './name-draft-dialog.tsx'

/** The drafts, and the effects of the chosen one. */
export function DraftsPage() {
  const manages = useMay('POST /drafts')
  const { id } = useSearch({ from: '/frame/drafts' })
  const [isCreating, setCreating] = useState(false)
  const drafts = useQuery(draftsQuery)
  const open = useOpenDraft(true)
  const create = (
    <Button variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {t('drafts.new')}
    </Button>
  )
  const shown = drafts.data?.data.find((draft) => draft.id === id) ?? open
  return (
    <>
      <PageHeader
        title={t('nav.drafts')}
        description={t('drafts.description')}
        actions={manages ? create : undefined}
      />
      {drafts.isPending && <Skeleton rows={6} />}
      {drafts.isError && <ErrorState error={drafts.error} onRetry={() => void drafts.refetch()} />}
      {drafts.data !== undefined && shown === undefined && (
        <Card>
          <EmptyState icon="edit" title={t('drafts.none')}>
            {t('drafts.none.advice')}
          </EmptyState>
        </Card>
      )}
      {drafts.data !== undefined && shown !== undefined && (
        <div
          className={classNames(
            'grid items-start gap-4',
            drafts.data.data.length > 1 && 'xl:grid-cols-[18rem_minmax(0,1fr)]',
          )}
        >
          {drafts.data.data.length > 1 && <DraftList drafts={drafts.data.data} shown={shown.id} />}
          <DraftReview key={shown.id} id={shown.id} />
        </div>
      )}
      <NameDraftDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  )
}

interface DraftListProps {
  readonly drafts: readonly DraftSummary[]
  readonly shown: string
}

function DraftList({ drafts, shown }: DraftListProps) {
  return (
    <nav
      aria-label={t('drafts.list')}
      className="min-w-0 rounded-xl border border-line bg-surface p-1.5 shadow-lift"
    >
      {drafts.map(({ id, name, author_fact: author, changed_at: changedAt, outdated }) => (
        <Link
          key={id}
          to="/drafts"
          search={{ id }}
          onClick={() => openDraft(id)}
          aria-current={id === shown ? 'true' : undefined}
          className={classNames(
            'block rounded-lg px-3 py-2 hover:bg-hover',
            id === shown && 'bg-accent-soft',
          )}
        >
          <span className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
            {outdated && <Badge tone="warn">{t('drafts.outdated')}</Badge>}
          </span>
          <span className="block truncate text-muted">
            {writeAuthor({ author })} · <TimeText at={changedAt} />
          </span>
        </Link>
      ))}
    </nav>
  )
}
