{{- define "headgate.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* 57 characters at most, so that "-admin" fits behind it. */ -}}
{{- define "headgate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 57 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "headgate.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 57 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 57 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "headgate.selectorLabels" -}}
app.kubernetes.io/name: {{ include "headgate.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "headgate.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "headgate.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "headgate.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "headgate.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "headgate.secretName" -}}
{{- default (include "headgate.fullname" .) .Values.secrets.existingSecret -}}
{{- end -}}

{{- define "headgate.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* Whether more than one pod may run. */ -}}
{{- define "headgate.hasMany" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}yes{{- end -}}
{{- end -}}

{{- /* The configuration file: what the chart has to say, and over it what the values say. */ -}}
{{- define "headgate.config" -}}
{{- $admin := printf "%s-admin" (include "headgate.fullname" .) -}}
{{- $namespace := .Release.Namespace -}}
{{- $hosts := list $admin (printf "%s.%s" $admin $namespace) (printf "%s.%s.svc" $admin $namespace) (printf "%s.%s.svc.cluster.local" $admin $namespace) -}}
{{- $base := dict "admin" (dict "listen" (printf "%s:8081" .Values.bindAddress) "metrics" "token" "hosts" (concat $hosts .Values.adminHosts)) "drain" (printf "%ds" (int .Values.shutdown.drainSeconds)) -}}
{{- if .Values.publicUrl -}}{{- $_ := set $base "public_url" .Values.publicUrl -}}{{- end -}}
{{- if .Values.trustedProxies -}}{{- $_ := set $base "trusted_proxies" .Values.trustedProxies -}}{{- end -}}
{{- if and .Values.database.enabled .Values.database.caSecret -}}
{{- $_ := set $base "database" (dict "ca_file" (printf "/etc/headgate-database/%s" .Values.database.caKey)) -}}
{{- end -}}
{{- toYaml (mergeOverwrite $base (deepCopy .Values.config)) -}}
{{- end -}}
