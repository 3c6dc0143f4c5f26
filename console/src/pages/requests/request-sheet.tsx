import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { RequestDetailView } from '../../../../src/admin/requests/request-contract.ts'
import { writeRequestError } from '../../api/describe-error.ts'
import { t } from '../../language/language.ts'
import { TranslationLosses } from '../../routing/translation-losses.tsx'
import { Badge } from '../../ui/badge.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Candidates } from './candidates.tsx'
import { CapturedBodies } from './captured-bodies.tsx'
import { RequestFacts } from './request-facts.tsx'
import { requestQuery } from './request-queries.ts'
import { toneOfStatus } from './status-tone.ts'
import { Waterfall } from './waterfall.tsx'
import { writeCause } from './write-cause.ts'

/** One request, next to the list: the reasons for its route, the duration of each phase, and its cost. */
export function RequestSheet() {
  const { id } = useParams({ from: '/frame/requests/$id' })
  const navigate = useNavigate({ from: '/requests/$id' })
  const request = useQuery(requestQuery(id))
  return (
    <Dialog
      isOpen
      shape="side"
      onClose={() => void navigate({ to: '/requests', search: (before) => before })}
      title={request.data?.model ?? t('requests.one')}
      description={<RequestId id={id} />}
    >
      {request.isPending && <Skeleton rows={6} />}
      {request.isError && <ErrorState error={request.error} onRetry={() => void request.refetch()} />}
      {request.data !== undefined && <RequestBody shown={request.data} />}
    </Dialog>
  )
}

function RequestId({ id }: { readonly id: string }) {
  return (
    <span className="flex items-center gap-1">
      <code className="truncate">{id}</code>
      <CopyButton text={id} label={t('requests.copy_id')} />
    </span>
  )
}

function RequestBody({ shown }: { readonly shown: RequestDetailView }) {
  const {
    status,
    error,
    error_message: message,
    cause,
    cause_fact: fact,
    stream,
    recovered,
    caller_left: hasLeft,
    losses,
  } = shown
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap gap-1.5">
        <Badge tone={toneOfStatus(status)}>{status}</Badge>
        {stream && <Badge>{t('requests.stream.true')}</Badge>}
        {recovered && <Badge tone="warn">{t('requests.recovered')}</Badge>}
        {hasLeft && <Badge tone="warn">{t('requests.caller_left')}</Badge>}
        {shown.captured && <Badge tone="accent">{t('capture.mark')}</Badge>}
      </div>
      {error !== null && (
        <Banner tone={status >= 500 ? 'bad' : 'warn'}>
          <p title={message ?? undefined}>{writeRequestError(error, message)}</p>
          <code className="text-[0.8125rem]">{error}</code>
          {cause !== null && (
            <span className="block" title={cause}>
              {writeCause(cause, fact)}
            </span>
          )}
        </Banner>
      )}
      <Waterfall shown={shown} />
      <RequestFacts shown={shown} />
      {shown.captured && <CapturedBodies id={shown.request_id} />}
      {losses.length > 0 && <Losses losses={losses} />}
      {shown.candidates.length > 0 && <Candidates candidates={shown.candidates} />}
    </div>
  )
}

function Losses({ losses }: Pick<RequestDetailView, 'losses'>) {
  return (
    <section>
      <h3 className="mb-1 font-semibold">{t('requests.losses')}</h3>
      <p className="mb-2 text-muted">{t('requests.losses.why')}</p>
      <TranslationLosses losses={losses} />
    </section>
  )
}
