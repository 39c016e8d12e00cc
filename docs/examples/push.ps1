# Push a secret that opens once, print its link, then retrieve it. The secret comes through the pipe.
$Usage = @'
$env:BASE_URL = 'https://push.example.com'; $env:TOKEN = 'your-api-token'
'correct horse' | ./push.ps1
Get-Content -Raw key.pem | ./push.ps1
'@
# PowerShell 7, or Windows PowerShell 5.1. From a file (`pwsh -File push.ps1 <key.pem`) PowerShell passes on lines, and
# the line break at the end is lost.
$ErrorActionPreference = 'Stop'
$Tries = 5
$Longest = 60  # seconds; a longer Retry-After is for a person to wait

function Stop-Here([string] $Message) {
    [Console]::Error.WriteLine($Message)
    exit 1
}

# Sends a request. Repeats it after a 429, a 5xx or no response, with the same key, so that it counts once.
function Send([string] $Method, [string] $Url, [string] $Body) {
    $headers = @{ 'Idempotency-Key' = [guid]::NewGuid().ToString() }
    if ($env:TOKEN) { $headers['Authorization'] = "Bearer $env:TOKEN" }
    $request = @{ Method = $Method; Uri = $Url; Headers = $headers; TimeoutSec = 30 }
    if ($Body) {
        $request['Body'] = [Text.Encoding]::UTF8.GetBytes($Body)  # 5.1 would send Latin-1
        $request['ContentType'] = 'application/json; charset=utf-8'
    }
    for ($number = 1; ; $number++) {
        $wait = $number
        try { return Invoke-RestMethod @request }
        catch {
            $response = $_.Exception.Response
            $status = if ($response) { [int] $response.StatusCode } else { 0 }
            $failure = if ($status) { "${status}: $($_.ErrorDetails.Message)" } else { "no response: $($_.Exception.Message)" }
            $wait = [Math]::Max($number, (Get-RetryAfter $response))
            $isRefused = $status -ge 400 -and $status -lt 500 -and $status -ne 429
            if ($isRefused -or $wait -gt $Longest -or $number -eq $Tries) { Stop-Here $failure }
            Start-Sleep -Seconds $wait
        }
    }
}

# The seconds in Retry-After. PowerShell 7 has parsed the header, 5.1 has its text.
function Get-RetryAfter($Response) {
    if (-not $Response) { return 0 }
    $seconds = if ($PSVersionTable.PSVersion.Major -ge 6) { $Response.Headers.RetryAfter.Delta.TotalSeconds }
    else { $Response.Headers['Retry-After'] }
    if ($seconds -match '^\d+$') { [int] $seconds } else { 0 }
}

$payload = @($input) -join "`n"
$baseUrl = "$env:BASE_URL".TrimEnd('/')
if ($args -or -not $payload -or -not $baseUrl) { Stop-Here $Usage }

$json = @{ push = @{ payload = $payload; expire_after_views = 1 } } | ConvertTo-Json
$created = Send 'POST' "$baseUrl/api/v2/pushes" $json
$created.html_url
Send 'GET' "$baseUrl/api/v2/pushes/$($created.url_token)" | ConvertTo-Json -Compress
