import { useQuery } from '@tanstack/react-query'
import { type AuditEntryView, auditListSchema } from '../../../../src/admin/audit/audit-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { AddressText } from '../../changes/address-text.tsx'
import { writeAuthor, writeCredential } from '../../changes/write-actor.ts'
import { writeDetail } from '../../changes/write-detail.ts'
import { t } from '../../language/language.ts'
import { DetailList } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, Code, TimeText } from '../../ui/text.tsx'
import { nameAction } from './name-action.ts'

interface AuditSheetProps {
  readonly number: number
  /** The record, if the list has already loaded it. */
  readonly known: AuditEntryView | undefined
  readonly onClose: () => void
}

/** One record of the audit log, next to the list. */
export function AuditSheet({ number, known, onClose }: AuditSheetProps) {
  const entry = useQuery({
    queryKey: ['audit', 'entry', number],
    queryFn: ({ signal }) => fetchEntry(number, signal),
    enabled: known === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const shown = known ?? entry.data ?? undefined
  return (
    <Dialog
      isOpen
      isText
      onClose={onClose}
      shape="side"
      title={shown === undefined ? t('audit.one', { number }) : nameAction(shown.action)}
    >
      {shown !== undefined && <Entry entry={shown} />}
      {shown === undefined && entry.isPending && <Skeleton rows={6} />}
      {entry.isError && <ErrorState error={entry.error} onRetry={() => void entry.refetch()} />}
      {entry.data === null && (
        <EmptyState icon="audit" title={t('audit.gone')}>
          {t('audit.gone.advice')}
        </EmptyState>
      )}
    </Dialog>
  )
}

/** Null if there is no such record. */
async function fetchEntry(number: number, signal: AbortSignal): Promise<AuditEntryView | null> {
  const query = { before: number + 1, limit: 1 }
  const { data } = await callApi({ path: '/audit', query, answer: auditListSchema, signal })
  return data.find((entry) => entry.number === number) ?? null
}

function Entry({ entry }: { readonly entry: AuditEntryView }) {
  const { at, author, actor, address, action, subject, facts } = entry
  const details = facts.map(writeDetail)
  return (
    <div className="space-y-5">
      <DetailList
        rows={[
          [t('audit.at'), <TimeText key="at" at={at} />],
          [
            t('audit.author'),
            <span key="author" title={author}>
              {writeAuthor(actor)}
            </span>,
          ],
          [t('audit.credential'), writeCredential(actor) ?? <Absent key="credential" />],
          [t('audit.address'), <AddressText key="address" address={address} actor={actor} />],
          [t('audit.action'), <Code key="action">{action}</Code>],
          [
            t('audit.subject'),
            subject === '' ? (
              <Absent key="subject" />
            ) : (
              <Code key="subject">{action === 'admin_token.use' ? writeAuthor(actor) : subject}</Code>
            ),
          ],
        ]}
      />
      <section>
        <h3 className="mb-2 font-semibold">{t('audit.details')}</h3>
        {details.length === 0 && <p className="text-muted">{t('audit.details.none')}</p>}
        <ul className="space-y-1.5">
          {details.map((detail) => (
            <li key={detail} className="rounded-lg bg-sunken px-3 py-1.5 break-words">
              {detail}
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
