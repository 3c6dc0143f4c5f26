import { useState } from 'react'
import { writeDeliveryReason } from '../../health/delivery-reason.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Banner } from '../../ui/states.tsx'
import { AlertEntryForm } from './alert-entry-form.tsx'
import { rulePart } from './alert-rules.tsx'
import { useReceiverTest } from './use-receiver-test.ts'

interface ReceiverAddedProps {
  readonly name: string
  readonly onDone: () => void
}

/** The steps after a new receiver: a test, and the rules that open alerts. */
export function ReceiverAdded({ name, onDone }: ReceiverAddedProps) {
  const test = useReceiverTest(name)
  const [addsRule, setAddsRule] = useState(false)
  if (addsRule) return <AlertEntryForm part={rulePart} onDone={onDone} />
  return (
    <div className="space-y-4">
      <p>{t('alerts.receiver.next', { name })}</p>
      <Button icon="play" isBusy={test.isPending} onClick={() => test.mutate()}>
        {t('alerts.test')}
      </Button>
      {test.data !== undefined && (
        <Banner tone={test.data.delivered ? 'good' : 'bad'}>
          {test.data.delivered
            ? t('alerts.test.done', { name })
            : t('alerts.test.failed', { name, reason: writeDeliveryReason(test.data) })}
        </Banner>
      )}
      <p className="text-muted">{t('alerts.receiver.next.rules')}</p>
      <div className="flex flex-wrap gap-2">
        <Button icon="plus" onClick={() => setAddsRule(true)}>
          {t('alerts.rule.add')}
        </Button>
        <Button variant="primary" onClick={onDone}>
          {t('alerts.receiver.next.done')}
        </Button>
      </div>
    </div>
  )
}
