import type { ProviderView } from '../../../../src/admin/models/provider-contract.ts'
import { CheckInput, NumberInput, SelectInput, TextInput } from '../../forms/inputs.tsx'
import type { Form } from '../../forms/use-form.ts'
import { WordsInput } from '../../forms/words-input.tsx'
import { t } from '../../language/language.ts'
import type { ChannelDraft } from './channel-form.ts'
import { isNamingModels } from './channel-form.ts'
import { useMayReachPrivate } from './private-addresses.ts'

interface FieldsProps {
  readonly form: Form<ChannelDraft>
  readonly provider: ProviderView
  /** The existing keys, masked. */
  readonly keys?: readonly string[]
}

/** The required fields of a channel of one provider, followed by the optional ones. */
export function ChannelFields({ form, provider, keys = [] }: FieldsProps) {
  const isAddressNeeded = provider.base_url_by === 'channel'
  return (
    <>
      {isAddressNeeded && <AddressField form={form} provider={provider} />}
      {provider.key !== 'none' && <KeyField form={form} provider={provider} keys={keys} />}
      {provider.settings
        .filter(({ required }) => required)
        .map((setting) => (
          <CredentialField key={setting.name} form={form} setting={setting} />
        ))}
      <ModelsField form={form} provider={provider} />
      <details className="rounded-lg border border-line px-3 py-2.5">
        <summary className="font-medium">{t('channels.more')}</summary>
        <div className="mt-3 space-y-4">
          <MoreFields form={form} provider={provider} />
        </div>
      </details>
    </>
  )
}

function AddressField({ form, provider }: FieldsProps) {
  const { base_url: address, base_url_by: by, is_local: isLocal } = provider
  const mayReachPrivate = useMayReachPrivate()
  return (
    <>
      <TextInput
        field={form.bind('base_url')}
        label={t('channels.address')}
        type="url"
        isOptional={by !== 'channel'}
        placeholder={address ?? 'https://models.example.com/v1'}
        hint={address === null ? undefined : t('channels.address.default', { address })}
      />
      {(by === 'channel' || isLocal || form.values.base_url !== '') &&
        (mayReachPrivate || form.values.allow_private ? (
          <CheckInput
            field={form.bind('allow_private')}
            label={t('channels.allow_private')}
            hint={t('channels.allow_private.hint')}
          />
        ) : (
          <p className="text-[0.8125rem] text-muted">{t('channels.allow_private.off')}</p>
        ))}
    </>
  )
}

function KeyField({ form, provider, keys = [] }: FieldsProps) {
  const hint =
    keys.length > 0
      ? t('channels.key.stays', { keys: keys.join(', ') })
      : provider.key_variable === null
        ? undefined
        : t('channels.key.variable', { variable: provider.key_variable })
  return (
    <TextInput
      field={form.bind('api_key')}
      label={t('channels.key')}
      type="password"
      autoComplete="new-password"
      isOptional={provider.key !== 'required' || keys.length > 0}
      hint={hint}
    />
  )
}

interface CredentialFieldProps {
  readonly form: Form<ChannelDraft>
  readonly setting: ProviderView['settings'][number]
}

/**
 * A setting of the provider, labeled with its name in the configuration. The provider's documentation uses that name
 * too.
 */
function CredentialField({ form, setting: { name, form: shape, required, secret } }: CredentialFieldProps) {
  const { credentials } = form.values
  return (
    <TextInput
      field={{
        name: `credentials.${name}`,
        value: credentials[name] ?? '',
        error: form.errors[`credentials.${name}`],
        onChange: (value) => form.set('credentials', { ...credentials, [name]: value }),
      }}
      label={name}
      type={secret ? 'password' : 'text'}
      autoComplete={secret ? 'new-password' : 'off'}
      isOptional={!required}
      hint={shape}
    />
  )
}

function ModelsField({ form, provider }: FieldsProps) {
  const { lists_models: lists, models } = provider
  return (
    <div className="space-y-2">
      {(lists || models !== null) && (
        <CheckInput
          field={form.bind('listed')}
          label={t(lists ? 'channels.models.all' : 'channels.models.all.of')}
          hint={t(lists ? 'channels.models.all.hint' : 'channels.models.all.known')}
        />
      )}
      {isNamingModels(provider, form.values) && (
        <WordsInput
          field={form.bind('models')}
          label={t('channels.models')}
          suggestions={models ?? []}
          hint={t('channels.models.hint')}
        />
      )}
    </div>
  )
}

function MoreFields({ form, provider }: FieldsProps) {
  const { formats, base_url_by: by, settings } = provider
  return (
    <>
      {by === 'default' && <AddressField form={form} provider={provider} />}
      {formats.length > 1 && (
        <SelectInput
          field={form.bind('format')}
          label={t('channels.format')}
          choices={[
            { value: '', label: t('channels.format.default', { format: formats[0] ?? '' }) },
            ...formats.map((format) => ({ value: format, label: format })),
          ]}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberInput
          field={form.bind('priority')}
          label={t('channels.priority')}
          hint={t('channels.priority.hint')}
          isOptional
        />
        <NumberInput
          field={form.bind('weight')}
          label={t('channels.weight')}
          hint={t('channels.weight.hint')}
          isOptional
        />
      </div>
      <NumberInput
        field={form.bind('concurrency')}
        label={t('channels.concurrency')}
        hint={t('channels.concurrency.hint')}
        isOptional
      />
      {settings
        .filter(({ required }) => !required)
        .map((setting) => (
          <CredentialField key={setting.name} form={form} setting={setting} />
        ))}
    </>
  )
}
