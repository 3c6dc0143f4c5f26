import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { removedTotpSchema } from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { meQuery } from '../../api/session.ts'
import { t } from '../../language/language.ts'
import { type SetupStep, SetupSteps, startSecondFactor } from '../../second-factor/second-factor-setup.tsx'
import { useMe } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

export function SecondFactorCard() {
  const client = useQueryClient()
  const { second_factor, second_factor_required: isRequired } = useMe()
  const [step, setStep] = useState<SetupStep>()
  const [isRemoving, setRemoving] = useState(false)
  const refresh = () => void client.invalidateQueries({ queryKey: meQuery.queryKey })
  const close = () => {
    setStep(undefined)
    refresh()
  }
  return (
    <Card
      title={t('account.totp')}
      actions={second_factor && <Badge tone="good">{t('users.totp.on')}</Badge>}
    >
      <p className="mb-3 text-muted">{t('account.totp.why')}</p>
      {isRequired && <p className="mb-3">{t('account.totp.required')}</p>}
      {second_factor && !isRequired && (
        <Button variant="quiet" onClick={() => setRemoving(true)}>
          {t('account.totp.remove')}
        </Button>
      )}
      {!second_factor && (
        <Button icon="lock" onClick={async () => setStep(await startSecondFactor())}>
          {t('account.totp.start')}
        </Button>
      )}
      <Dialog isOpen={step !== undefined} onClose={close} title={t('account.totp')} isSticky>
        {step !== undefined && (
          <SetupSteps step={step} onCodes={(codes) => setStep({ type: 'codes', codes })} />
        )}
      </Dialog>
      <RemoveDialog isOpen={isRemoving} onClose={() => setRemoving(false)} onRemoved={refresh} />
    </Card>
  )
}

interface RemoveDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onRemoved: () => void
}

function RemoveDialog({ isOpen, onClose, onRemoved }: RemoveDialogProps) {
  const remove = async () => {
    await callApi({ method: 'DELETE', path: '/me/totp', answer: removedTotpSchema })
    showToast(t('account.totp.removed'))
    onRemoved()
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      isDangerous
      onConfirm={remove}
      title={t('account.totp.remove')}
      confirm={t('account.totp.remove')}
    >
      <p>{t('account.totp.remove.why')}</p>
    </ConfirmDialog>
  )
}
