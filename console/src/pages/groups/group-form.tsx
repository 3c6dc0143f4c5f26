import { useQueryClient } from '@tanstack/react-query'
import { type GroupView, groupViewSchema } from '../../../../src/admin/groups/group-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { anyAnswerSchema } from '../../api/session.ts'
import { BudgetsInput } from '../../budgets/budgets-input.tsx'
import { RateInputs } from '../../budgets/rate-inputs.tsx'
import { type ObjectChange, useAddToDraft } from '../../changes/open-draft.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { NumberInput, TextInput } from '../../forms/inputs.tsx'
import { rereads } from '../../forms/submit-for-now.ts'
import { type Form, useForm } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { t } from '../../language/language.ts'
import { usePublicModels } from '../../suggestions/public-models.ts'
import { showToast } from '../../ui/toasts.tsx'
import {
  draftGroup,
  emptyGroup,
  type GroupDraft,
  groupDraftSchema,
  patchGroup,
  writeGroup,
} from './group-draft.ts'

interface GroupFormProps {
  /** The group to change. Absent for a new group. */
  readonly group?: GroupView
  readonly onDone: () => void
}

/** The limits of a group: models, money, rates and price. */
export function GroupForm({ group, onDone }: GroupFormProps) {
  const client = useQueryClient()
  const models = usePublicModels()
  const addToDraft = useAddToDraft()
  const form = useForm({
    name: group === undefined ? 'group' : `group.${group.name}`,
    initial: group === undefined ? emptyGroup : draftGroup(group),
    schema: groupDraftSchema(),
    reread: group && rereads({ path: groupPath(group.name), answer: groupViewSchema, read: draftGroup }),
    async submit(draft, mode, ifMatch) {
      if (mode === 'draft') {
        await addToDraft(changeOf(form.initial, draft, group))
        form.reset()
        return onDone()
      }
      await save(changeOf(form.initial, draft, group), ifMatch)
      showToast(t('groups.saved', { name: draft.name }))
      form.reset()
      await client.invalidateQueries({ queryKey: ['groups'] })
      onDone()
    },
  })
  const cancel = () => {
    form.reset()
    onDone()
  }
  return (
    <FormFrame
      form={form}
      submit={group === undefined ? t('groups.create') : t('groups.save')}
      onCancel={cancel}
      canDraft
    >
      {group === undefined && (
        <TextInput
          field={form.bind('name')}
          label={t('common.name')}
          hint={t('groups.name.hint')}
          autoFocus
        />
      )}
      <WordsInput
        field={form.bind('models')}
        label={t('nav.models')}
        hint={t('groups.models.hint')}
        suggestions={models}
        isOptional
      />
      <BudgetsInput field={form.bind('budgets')} errors={form.errors} />
      <RateInputs field={form.bind('rate')} errors={form.errors} />
      <PriceAndChannels form={form} />
    </FormFrame>
  )
}

function PriceAndChannels({ form }: { readonly form: Form<GroupDraft> }) {
  return (
    <>
      <NumberInput
        field={form.bind('multiplier')}
        label={t('groups.multiplier')}
        hint={t('groups.multiplier.hint')}
        isOptional
      />
      <WordsInput
        field={form.bind('passthrough')}
        label={t('keys.passthrough')}
        hint={t('groups.passthrough.hint')}
        placeholder="openai"
        isOptional
      />
    </>
  )
}

function changeOf(initial: GroupDraft, draft: GroupDraft, group: GroupView | undefined): ObjectChange {
  if (group === undefined)
    return { kind: 'groups', name: draft.name, change: 'create', object: writeGroup(draft) }
  const object = patchGroup(initial, draft, group)
  return { kind: 'groups', name: group.name, change: 'patch', object }
}

const groupPath = (name: string) => `/groups/${encodeURIComponent(name)}`

async function save({ name, change, object }: ObjectChange, ifMatch: string | undefined): Promise<void> {
  const path = groupPath(name)
  const answer = anyAnswerSchema
  if (change === 'patch') await callApi({ method: 'PATCH', path, body: object, ifMatch, answer })
  else await callApi({ method: 'POST', path: '/groups', body: { name, ...object }, answer })
}
