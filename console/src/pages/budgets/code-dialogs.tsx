import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { createdCodesSchema, creditViewSchema } from '../../../../src/admin/credits/credit-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { downloadText } from '../../browser/download-text.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { NumberInput, SelectInput, TextInput } from '../../forms/inputs.tsx'
import { readAmount } from '../../forms/read-amount.ts'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { Banner } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { OwnerFields, ownerFieldOf, ownerSchema } from './owner-fields.tsx'

interface CodeDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Creates a batch of codes and shows them once. */
export function CreateCodesDialog({ isOpen, onClose }: CodeDialogProps) {
  const [codes, setCodes] = useState<readonly string[]>()
  const close = () => {
    setCodes(undefined)
    onClose()
  }
  const title = codes === undefined ? t('codes.create') : t('codes.created', { count: codes.length })
  return (
    <Dialog isOpen={isOpen || codes !== undefined} onClose={close} isSticky title={title}>
      {codes === undefined ? (
        <CreateCodesForm onMade={setCodes} onCancel={close} />
      ) : (
        <MadeCodes codes={codes} onClose={close} />
      )}
    </Dialog>
  )
}

const MAX_CODES = 1_000
const redeemableFor = ['never', '7d', '30d', '90d', '365d'] as const
const creditLives = ['never', '30d', '90d', '365d'] as const
const initial = { amount_usd: '', count: '10', reason: '', expires_at: '90d', credit_life: 'never' }

interface CreateCodesFormProps {
  readonly onMade: (codes: readonly string[]) => void
  readonly onCancel: () => void
}

function codesSchema() {
  const count = z
    .string()
    .refine((text) => /^\d{1,4}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= MAX_CODES, {
      error: t('codes.count.wrong'),
    })
  const amount = z.string().refine((text) => readAmount(text) > 0, { error: t('form.positive') })
  return z.object({
    amount_usd: amount,
    count,
    reason: z.string(),
    expires_at: z.string(),
    credit_life: z.string(),
  })
}

function CreateCodesForm({ onMade, onCancel }: CreateCodesFormProps) {
  const client = useQueryClient()
  const form = useForm({
    name: 'codes',
    initial,
    schema: codesSchema(),
    async submit({ amount_usd: amount, count, reason, expires_at: end, credit_life: life }) {
      const body = {
        amount_usd: readAmount(amount),
        count: Number(count),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
        ...(end !== 'never' && { expires_at: end }),
        ...(life !== 'never' && { credit_life: life }),
      }
      const made = await callApi({ method: 'POST', path: '/codes', body, answer: createdCodesSchema })
      form.reset()
      onMade(made.data.map(({ code }) => code))
      await client.invalidateQueries({ queryKey: ['codes'] })
    },
  })
  const cancel = () => {
    form.reset()
    onCancel()
  }
  return (
    <FormFrame form={form} submit={t('codes.create')} onCancel={cancel}>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberInput field={form.bind('amount_usd')} label={t('codes.amount')} unit="USD" />
        <NumberInput field={form.bind('count')} label={t('codes.count')} />
      </div>
      <TextInput
        field={form.bind('reason')}
        label={t('budgets.reason')}
        hint={t('budgets.reason.hint')}
        isOptional
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectInput
          field={form.bind('expires_at')}
          label={t('codes.redeemable')}
          choices={redeemableFor.map((value) => ({ value, label: t(`codes.for.${value}`) }))}
        />
        <SelectInput
          field={form.bind('credit_life')}
          label={t('codes.credit_life')}
          choices={creditLives.map((value) => ({ value, label: t(`codes.for.${value}`) }))}
        />
      </div>
    </FormFrame>
  )
}

interface MadeCodesProps {
  readonly codes: readonly string[]
  readonly onClose: () => void
}

function MadeCodes({ codes, onClose }: MadeCodesProps) {
  const text = `${codes.join('\n')}\n`
  return (
    <>
      <Banner tone="warn">{t('codes.once')}</Banner>
      <ScrollRegion
        label={t('budgets.tab.codes')}
        className="mt-3 max-h-72 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2"
      >
        <pre data-secret className="select-all">
          <code>{text}</code>
        </pre>
      </ScrollRegion>
      <DialogActions>
        <CopyButton text={text} label={t('codes.copy')} hasText />
        <Button icon="download" onClick={() => downloadText('codes.txt', text, 'text/plain')}>
          {t('codes.download')}
        </Button>
        <Button variant="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      </DialogActions>
    </>
  )
}

/** Redeems a code for credit. */
export function RedeemDialog({ isOpen, onClose }: CodeDialogProps) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      isSticky
      title={t('codes.redeem')}
      description={t('codes.redeem.why')}
    >
      <RedeemForm onCancel={onClose} />
    </Dialog>
  )
}

const emptyRedemption = { owner_type: 'key', owner_name: '', code: '' }

function RedeemForm({ onCancel }: { readonly onCancel: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate({ from: '/budgets' })
  const form = useForm({
    name: 'redeem',
    initial: emptyRedemption,
    fieldOf: ownerFieldOf,
    secrets: ['code'],
    schema: z.object({
      ...ownerSchema(),
      code: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
    }),
    async submit({ owner_type: type, owner_name: name, code }) {
      const body = { [type]: name, code }
      const credit = await callApi({ method: 'POST', path: '/codes/redeem', body, answer: creditViewSchema })
      form.reset()
      showToast(t('codes.redeemed'))
      await client.invalidateQueries({ queryKey: ['codes'] })
      await client.invalidateQueries({ queryKey: ['credits'] })
      await navigate({ search: { tab: 'credits', credit: credit.owner }, replace: true })
    },
  })
  return (
    <FormFrame form={form} submit={t('codes.redeem')} onCancel={onCancel}>
      <TextInput field={form.bind('code')} label={t('codes.code')} placeholder="HG-7K2M" isCode />
      <OwnerFields form={form} />
    </FormFrame>
  )
}
