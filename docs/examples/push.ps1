# Push a secret that can be seen once, and retrieve it: $env:BASE_URL = 'http://127.0.0.1:8000'; ./push.ps1 'correct horse'
# PowerShell 7, or Windows PowerShell 5.1.
param([Parameter(Mandatory)] [string] $Payload)
$ErrorActionPreference = 'Stop'
$Tries = 5

# Sends a request until it is answered: with the same key each time, so that it counts once.
function Send([string] $Method, [string] $Url, [string] $Body) {
    $headers = @{ 'Idempotency-Key' = [guid]::NewGuid().ToString() }
    if ($env:TOKEN) { $headers['Authorization'] = "Bearer $env:TOKEN" }
    $request = @{ Method = $Method; Uri = $Url; Headers = $headers; TimeoutSec = 30 }
    if ($Body) {
        $request['Body'] = [Text.Encoding]::UTF8.GetBytes($Body)  # 5.1 would send Latin-1
        $request['ContentType'] = 'application/json; charset=utf-8'
    }
    for ($number = 1; ; $number++) {
        try { return Invoke-RestMethod @request }
        catch {
            $status = if ($_.Exception.Response) { [int] $_.Exception.Response.StatusCode } else { 0 }
            if (($status -ge 400 -and $status -lt 500) -or $number -eq $Tries) { throw }
            Start-Sleep -Seconds $number
        }
    }
}

$body = @{ push = @{ payload = $Payload; expire_after_views = 1 } } | ConvertTo-Json
$created = Send 'POST' "$env:BASE_URL/api/v2/pushes" $body
$created.html_url
Send 'GET' $created.json_url | ConvertTo-Json -Compress
