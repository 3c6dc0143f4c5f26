import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { DraftSummary } from '../../../src/admin/drafts/draft-contract.ts'
import { draftQuery, useOpenDraft } from '../changes/open-draft.ts'
import { t } from '../language/language.ts'
import { useMay } from '../shell/use-me.ts'
import { Badge } from '../ui/badge.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** The open draft, on every page, for users who may change the configuration. */
export function DraftBar() {
  const manages = useMay('POST /drafts')
  const draft = useOpenDraft(manages)
  return manages && draft !== undefined ? <Bar draft={draft} /> : null
}

function Bar({ draft }: { readonly draft: DraftSummary }) {
  const { data } = useQuery(draftQuery(draft.id))
  return (
    <section
      aria-label={t('drafts.bar')}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-accent-soft px-4 py-1.5 lg:px-8"
    >
      <Icon name="edit" className="size-4 text-accent" />
      <p className="flex min-w-0 flex-1 flex-wrap gap-x-2">
        <span className="max-w-full truncate font-medium">{draft.name}</span>
        {data !== undefined && (
          <span className="text-muted">{t('drafts.changes', { count: data.diff.length })}</span>
        )}
      </p>
      {draft.outdated && <Badge tone="warn">{t('drafts.outdated')}</Badge>}
      <Link to="/drafts" search={{ id: draft.id }} className={buttonClass('plain', true)}>
        {t('drafts.review')}
      </Link>
    </section>
  )
}
